public import Foundation

extension FileHandle {
  /// Each line as it comes, without its end, until nothing more can come.
  ///
  /// They are read on a thread of its own: a `readabilityHandler` that is removed while its file is being closed can end the process in
  /// libdispatch's event loop.
  public func lines() -> AsyncStream<String> {
    let (lines, continuation) = AsyncStream.makeStream(of: String.self)
    Thread { [self] in
      var rest = Data()
      while true {
        let data = availableData
        guard !data.isEmpty else { break }
        rest += data
        while let end = rest.firstIndex(of: 0x0A) {
          continuation.yield(String(decoding: rest[..<end], as: UTF8.self))
          rest = Data(rest[(end + 1)...])
        }
      }
      continuation.finish()
    }.start()
    return lines
  }
}
