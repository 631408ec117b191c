import Foundation
import Glibc

/// What a verifier or a witness remembers in a file. One that is there and cannot be read is never taken for one that is not there: then
/// nothing would be remembered, and whatever is shown would be believed.
enum KeptFile {
  /// The bytes; nil where there is no such file.
  static func read(_ path: String) throws -> [UInt8]? {
    guard access(path, F_OK) == 0 || errno != ENOENT else { return nil }
    guard let bytes = FileManager.default.contents(atPath: path) else { throw Refusal("\(path) cannot be read") }
    return Array(bytes)
  }
}
