/// Reads the lines before a note: some, then hashes, then an empty one.
struct LineReader {
  private(set) var rest: ArraySlice<UInt8>

  /// - Parameter bytes: no more are read than a note and a proof may have.
  init(_ bytes: some Collection<UInt8>) { rest = bytes.count <= SignedNote.maxBytes ? Array(bytes)[...] : [] }

  /// The next line, without its newline.
  mutating func next(_ fault: LogFault) throws -> [UInt8] {
    guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { throw fault }
    defer { rest = rest[(end + 1)...] }
    return Array(rest[..<end])
  }

  /// The hashes up to an empty line.
  mutating func hashes(_ fault: LogFault) throws -> [TreeHash] {
    var hashes: [TreeHash] = []
    while true {
      let line = try next(fault)
      if line.isEmpty { return hashes }
      guard hashes.count < InclusionProof.maxHashes, let hash = try? TreeHash(base64: line) else { throw fault }
      hashes.append(hash)
    }
  }
}
