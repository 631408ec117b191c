/// Why a file cannot be read, or no further.
public enum FormatFault: Error, Hashable, Sendable {
  /// It is none of the formats that are read.
  case unrecognized
  /// It ends too early or breaks the rules of its format.
  case damaged
  /// It declares entities, or nests, swells or piles up attributes and names beyond all measure: nothing that an exporting program writes.
  case unsafe
  /// An archive whose entries are encrypted.
  case encrypted
  /// What is packed in it is larger than any export.
  case tooLarge
  /// An archive without an export in it.
  case noExport
  /// A day's file whose name does not say which day it is.
  case dayMissing
  /// None of its rows is of the person that was asked for, but of these: the first of them, one more than are named.
  case unknownPerson([String])
  /// The marks of one habit that is not named.
  case habitMissing
  /// A table of marks with commas in the names of its columns.
  case ambiguousNames
  /// Nobody waits for it any more: the task that reads it is cancelled. It says nothing of the file.
  case stopped
}
