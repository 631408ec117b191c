import Crypto
import Foundation
import GRDB
import ServiceKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The SHA-256 of a file: as its name 64 hexadecimal digits in lower case, in the store 32 bytes.
struct FileHash: Hashable, Sendable, CustomStringConvertible {
  let bytes: [UInt8]

  init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 32 else { return nil }
    self.bytes = Array(bytes)
  }

  init?(hexadecimal text: some StringProtocol) {
    let digits = text.utf8.compactMap(Self.digit)
    guard text.utf8.count == 64, digits.count == 64 else { return nil }
    bytes = stride(from: 0, to: 64, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  /// Of what an open file holds from its beginning.
  init(_ descriptor: CInt) throws {
    var hash = SHA256()
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    var offset = 0
    while true {
      let count = buffer.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw FileFault(operation: "read", number: errno) }
      guard count > 0 else { break }
      buffer.withUnsafeBytes { hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: $0.prefix(count))) }
      offset += count
    }
    bytes = Array(hash.finalize())
  }

  var description: String {
    String(decoding: bytes.flatMap { [Self.digits[Int($0 >> 4)], Self.digits[Int($0 & 0xF)]] }, as: UTF8.self)
  }

  private static let digits = Array("0123456789abcdef".utf8)

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }
}

extension FileHash: DatabaseValueConvertible {
  var databaseValue: DatabaseValue { Data(bytes).databaseValue }

  static func fromDatabaseValue(_ value: DatabaseValue) -> FileHash? {
    guard case .blob(let data) = value.storage else { return nil }
    return FileHash(bytes: data)
  }
}
