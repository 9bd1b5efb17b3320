"""Import, export and copy: `importing` reads memories of other programs, `exporting` and `formats` write ours."""
