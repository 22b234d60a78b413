// Package manifest reads and writes the manifest of SDNB (section 1.4.4 of the reference sheet): a java.util.LinkedHashMap of names to
// pairs of numbers, as Java Object Serialization writes it. Only the five classes that it needs are known; nothing is instantiated.
package manifest
