"""The formats that are held against their own software."""
import edit_idv
import edit_samediff
import edit_scdl
import edit_taridx
import edit_tiledb

ALL = [edit_idv, edit_scdl, edit_taridx, edit_tiledb, edit_samediff]
