"""From what people say to what is remembered, and back when it is taken back."""
