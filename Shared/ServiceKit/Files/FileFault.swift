#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The error that kept a file from being written or read.
public struct FileFault: Error {
  public let operation: String
  /// `errno`.
  public let number: Int32

  public init(operation: String, number: Int32) {
    self.operation = operation
    self.number = number
  }

  public var isGone: Bool { number == ENOENT }
  public var isFull: Bool { number == ENOSPC || number == EDQUOT }
  public var isReadOnly: Bool { number == EROFS }
}
