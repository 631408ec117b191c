public import CEmbeddedFile

extension [UInt8] {
  /// The bytes of a file embedded in the program.
  public init(_ file: EmbeddedFile) { self.init(UnsafeBufferPointer(start: file.bytes, count: file.count)) }
}
