import Testing
import TransparencyLog

struct TileTests {
  @Test(
    "Paths of tiles are written and read in one form only",
    arguments: [
      ("tile/0/000", TilePath.hashes(Tile(level: 0, number: 0))), ("tile/63/999", .hashes(Tile(level: 63, number: 999))),
      ("tile/4/x001/x234/067", .hashes(Tile(level: 4, number: 1_234_067))),
      ("tile/4/x001/x234/067.p/1", .hashes(Tile(level: 4, number: 1_234_067, width: 1))),
      ("tile/0/x001/000", .hashes(Tile(level: 0, number: 1_000))),
      ("tile/entries/x123/x456/789.p/255", .entries(number: 123_456_789, width: 255)),
      ("tile/entries/003", .entries(number: 3, width: 256)),
      ("tile/0/x036/x028/x797/x018/963/", nil),
      ("tile/0/x036/x028/x797/x018/x963/967", .hashes(Tile(level: 0, number: Int.max >> 8))),
      ("tile/0/x036/x028/x797/x018/x963/968", nil), ("tile/0/x999/x999/x999/x999/x999/x999/x999/999", nil),
      ("", nil), ("tile", nil), ("tile/", nil), ("tile/0", nil), ("tile/0/", nil), ("tile/0/0", nil), ("tile/0/0000", nil),
      ("tile/00/000", nil), ("tile/64/000", nil), ("tile/-1/000", nil), ("tile/data/000", nil), ("tile/+1/000", nil),
      ("tile/0/x000/000", nil), ("tile/0/x000/x001/000", nil), ("tile/0/001/000", nil), ("tile/0/x001", nil),
      ("tile/0/x1/000", nil),
      ("tile/0/000.p/0", nil), ("tile/0/000.p/256", nil), ("tile/0/000.p/01", nil), ("tile/0/000.p", nil), ("tile/0/000.p/", nil),
      ("tile/0/000.p/1/", nil), ("tile/0/x001.p/1", nil), ("tile/0/000.q/1", nil), ("tile/0//000", nil), ("/tile/0/000", nil),
      ("tile/0/٠٠٠", nil), ("tile/0/00a", nil), ("tile/0/-01", nil), ("tile/0/ 01", nil), ("tile/0/../0/000", nil),
      ("tile/entries", nil), ("tile/Entries/000", nil), (String(repeating: "tile/0/x001/", count: 5_000), nil),
    ] as [(String, TilePath?)])
  func paths(_ text: String, _ path: TilePath?) {
    #expect((try? TilePath(text)) == path)
    if let path { #expect(path.description == text) }
  }

  @Test("A tree of 70,000 leaves has the tiles given by the specification")
  func tiles() {
    let tiles = Tile.all(in: 70_000)
    #expect(tiles.filter { $0.level == 0 && $0.isFull }.count == 273)
    #expect(
      tiles.filter { !$0.isFull } == [
        Tile(level: 0, number: 273, width: 112), Tile(level: 1, number: 1, width: 17), Tile(level: 2, number: 0, width: 1),
      ])
    #expect(tiles.filter { $0.level == 1 && $0.isFull } == [Tile(level: 1, number: 0)])
    #expect(Tile.all(in: 256) == [Tile(level: 0, number: 0), Tile(level: 1, number: 0, width: 1)])
    #expect(Tile.all(in: 0).isEmpty && TileEdge.widths(0).isEmpty && TileEdge.widths(256) == [0, 1])
    #expect(Tile.tile(level: 0, number: 1, in: 256) == nil && Tile.tile(level: 63, number: 0, in: Int.max) == nil)
  }

  @Test("Bundles of entries are read back, and refused when a byte is missing or left over")
  func bundles() throws {
    let entries: [[UInt8]] = [[], [1], Array(repeating: 7, count: 65_535)]
    let bytes = try EntryBundle.encoded(entries)
    #expect(bytes.count == 6 + 65_536 && bytes.prefix(5) == [0, 0, 0, 1, 1])
    #expect(try EntryBundle.decoded(bytes, width: 3) == entries)
    for (bytes, width) in [(bytes + [0], 3), (bytes.dropLast(), 3), (bytes, 2), (bytes, 4), ([0], 1), ([], 1), ([0, 2, 1], 1)] {
      #expect(throws: LogFault.malformed(.entryBundle)) { _ = try EntryBundle.decoded(Array(bytes), width: width) }
    }
    #expect(throws: LogFault.malformed(.entry)) { _ = try EntryBundle.encoded([Array(repeating: 0, count: 65_536)]) }
    #expect(throws: LogFault.malformed(.tile)) { _ = try TileHashes.decoded([1, 2, 3], width: 1) }
    #expect(throws: LogFault.malformed(.edge)) { _ = try TileEdge(size: 3, levels: [[.empty]]) }
    #expect(throws: LogFault.malformed(.edge)) { _ = try TileEdge(size: -1, levels: []) }
  }
}
