import Foundation
import Sampling

/// Pictures made here.
enum Picture {
  /// A picture of noise, in blocks that are stored as they are (RFC 1950, RFC 1951).
  static func noise(width: Int, height: Int) -> Data {
    var random = SeededGenerator(7)
    var rows: [UInt8] = []
    for _ in 0..<height { rows += [0] + (0..<width * 3).map { _ in UInt8.random(in: .min ... .max, using: &random) } }
    func big(_ number: Int) -> [UInt8] { withUnsafeBytes(of: UInt32(number).bigEndian) { Array($0) } }
    func chunk(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
      let body = Array(name.utf8) + bytes
      var crc: UInt32 = .max
      for byte in body {
        crc ^= UInt32(byte)
        for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
      }
      return big(bytes.count) + body + big(Int(~crc))
    }
    var stored: [UInt8] = [0x78, 0x01]
    for start in stride(from: 0, to: rows.count, by: 65_535) {
      let block = rows[start..<min(start + 65_535, rows.count)]
      let size = UInt16(block.count)
      stored += [start + block.count == rows.count ? 1 : 0, UInt8(size & 0xFF), UInt8(size >> 8)]
      stored += [UInt8(~size & 0xFF), UInt8(~size >> 8)] + block
    }
    var (a, b) = (1, 0)
    for byte in rows {
      a = (a + Int(byte)) % 65_521
      b = (b + a) % 65_521
    }
    stored += big(b << 16 | a)
    let header = big(width) + big(height) + [8, 2, 0, 0, 0]
    let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    return Data(signature + chunk("IHDR", header) + chunk("IDAT", stored) + chunk("IEND", []))
  }
}
