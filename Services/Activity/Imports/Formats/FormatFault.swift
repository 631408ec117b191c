/// Why a file cannot be read, or no further.
public enum FormatFault: Error, Hashable, Sendable {
  /// It is none of the formats that are read.
  case unrecognized
  /// Ends too early or violates its format.
  case damaged
  /// Declares entities, or has excessive nesting, size, attributes or names: no exporting program writes that.
  case unsafe
  /// An archive whose entries are encrypted.
  case encrypted
  /// Unpacks to more than any export would.
  case tooLarge
  /// An archive that contains no export.
  case noExport
  /// A file of one day whose name does not give the day.
  case dayMissing
  /// None of its rows belongs to the requested person; it has the persons listed, one more than are shown.
  case unknownPerson([String])
  /// The checkmarks of one habit, in a file that does not name it.
  case habitMissing
  /// A table of checkmarks with commas in the names of its columns.
  case ambiguousNames
  /// The task that reads it was cancelled. It says nothing about the file.
  case stopped
}
