import Operations

/// A piece of a PNG.
struct PNGChunk {
  let kind: String
  var content: [UInt8]

  init(_ kind: String, _ content: [UInt8]) {
    self.kind = kind
    self.content = content
  }

  /// Those of a file, which is a sound one.
  static func all(of file: [UInt8]) throws -> [PNGChunk] {
    var (chunks, position): ([PNGChunk], Int) = ([], 8)
    while position < file.count {
      let length = file[position..<(position + 4)].reduce(0) { $0 << 8 | Int($1) }
      let kind = String(decoding: file[(position + 4)..<(position + 8)], as: UTF8.self)
      chunks.append(PNGChunk(kind, Array(file[(position + 8)..<(position + 8 + length)])))
      position += 12 + length
    }
    return chunks
  }

  /// A file of them, whose lengths and check sums are right.
  static func file(_ chunks: some Collection<PNGChunk>) -> [UInt8] {
    func number(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }
    return chunks.reduce([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { file, chunk in
      let body = Array(chunk.kind.utf8) + chunk.content
      return file + number(UInt32(chunk.content.count)) + body + number(checkSum(body))
    }
  }

  /// The cyclic redundancy code of ISO/IEC 15948, annex D.
  private static func checkSum(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(0xFFFF_FFFF as UInt32) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
  }
}
