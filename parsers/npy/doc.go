// Package npy is the format of numpy's arrays, one in a file (.npy, versions 1.0 to 3.0: numpy.lib.format) or several in a ZIP archive
// (.npz: numpy.savez).
//
// An array is a magic number, two bytes of version, the length of a header, the header and the elements. The header is a Python dict
// in text: descr says byte order, kind and width of an element ('<f4'), fortran_order whether the first index changes fastest, shape
// how many elements each dimension has. Blanks and a line feed fill it up to a multiple of 64 bytes. The elements follow without a
// count of their own: their number is the product of the shape.
//
// An archive holds each array as a member that is named for it and ends in .npy.
//
// Most files that do not load were cut (the shape wants more bytes than there are), were edited as text, or hold Python objects, which
// numpy loads only when it is told to, since they can run code. An array has no checksum; the members of an archive have a CRC-32.
package npy
