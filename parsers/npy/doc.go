// Package npy reads numpy's arrays, one in a file (.npy, versions 1.0 to 3.0: numpy.lib.format) or several in a ZIP archive
// (.npz: numpy.savez).
//
// An array is a magic, two bytes of version, the length of a header, the header and the elements. The header is a Python dict
// in text: descr gives byte order, kind and width of an element ('<f4'), fortran_order whether the first index changes fastest, shape
// the length of each dimension. Spaces and a line feed pad it to a multiple of 64 bytes. The elements follow without a
// count of their own: their number is the product of the shape.
//
// An archive contains each array as a member with its name, ending in .npy.
//
// Most files that do not load were truncated (the shape needs more bytes than exist), were edited as text, or contain Python objects, which
// numpy loads only on request, because they can run code. An array has no checksum; the members of an archive have a CRC-32.
package npy
