"""The domain's records, its ports, and what everything else needs: standard library only."""
