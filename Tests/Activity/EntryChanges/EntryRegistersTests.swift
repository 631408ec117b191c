import ActivityContract
import Operations
import Sampling
import Testing

@testable import ActivityService

extension EntryRegisters {
  /// The writes that count.
  var stamps: [WriteStamp] {
    [progress?.stamp, comment?.stamp, location?.stamp, photo?.stamp, deletion].compactMap { $0 }
  }
}

@Suite("The later write of each field wins (ACT-17)")
struct EntryRegistersTests {
  /// A write and when it was made.
  struct Made: Hashable {
    let stamp: WriteStamp
    let write: EntryWrite
  }

  /// Many writes of one entry, close together so that they meet, some of the same millisecond.
  static func generated(_ count: Int, _ random: inout SeededGenerator) throws -> [Made] {
    try (0..<count).map { number in
      let name = ChangeName(
        id: try ChangeID(text: "\(Int.random(in: 0..<1000, using: &random))-\(number)"),
        device: try DeviceID(text: ["phone", "watch", "web"].randomElement(using: &random) ?? ""))
      let stamp = WriteStamp(Instant(milliseconds: Int64.random(in: 0..<12, using: &random)), name)
      if Int.random(in: 0..<5, using: &random) == 0 { return Made(stamp: stamp, write: .deletion) }
      let progress = Bool.random(using: &random) ? Int.random(in: 0..<5, using: &random) : nil
      let comment: Patch<String?> =
        switch Int.random(in: 0..<4, using: &random) {
        case 0: .set("\(number)")
        case 1: .set(nil)
        default: .keep
        }
      let location: Patch<EntryLocation?> =
        switch Int.random(in: 0..<4, using: &random) {
        case 0: .set(EntryLocation(latitude: Double(number), longitude: 0))
        case 1: .set(nil)
        default: .keep
        }
      var write = EntryWrite(progress: progress, comment: comment, location: location)
      if write.isEmpty { write.progress = 1 }
      return Made(stamp: stamp, write: write)
    }
  }

  /// Slow and obviously right: what was written, replayed in the order of its making.
  static func replayed(_ all: [Made]) -> EntryRegisters {
    var state = EntryRegisters()
    for made in all.sorted(by: { $0.stamp < $1.stamp }) {
      if made.write.isDeletion {
        state = EntryRegisters(deletion: made.stamp)
      } else {
        if let value = made.write.progress { state.progress = Register(value: value, stamp: made.stamp) }
        if case .set(let value) = made.write.comment { state.comment = Register(value: value, stamp: made.stamp) }
        if case .set(let value) = made.write.location { state.location = Register(value: value, stamp: made.stamp) }
      }
    }
    return state
  }

  @Test("In 10,000 orders of arrival the later write of each field wins; each write is either in force or lost")
  func orders() throws {
    var random = SeededGenerator(17)
    for _ in 0..<1_000 {
      let all = try EntryRegistersTests.generated(Int.random(in: 1...10, using: &random), &random)
      let expected = EntryRegistersTests.replayed(all)
      for _ in 0..<10 {
        var state = EntryRegisters()
        var lost: [LostWrite] = []
        for made in all.shuffled(using: &random) {
          lost += state.merge(made.write, at: made.stamp, isLast: false).lost
        }
        #expect(state == expected)
        let written = all.reduce(0) { $0 + $1.write.fieldCount }
        #expect(state.stamps.count + lost.count == written)
      }
    }
  }

  @Test("Writes of the same millisecond are ordered by name, after any online write")
  func ties() throws {
    let at = Instant(milliseconds: 7)
    func name(_ id: String, _ device: String) throws -> ChangeName {
      ChangeName(id: try ChangeID(text: id), device: try DeviceID(text: device))
    }
    let inOrder = [
      WriteStamp(at), WriteStamp(at, try name("a", "phone")), WriteStamp(at, try name("a", "watch")),
      WriteStamp(at, try name("b", "phone")), WriteStamp(Instant(milliseconds: 8)),
    ]
    for (index, stamp) in inOrder.enumerated() {
      for (other, later) in inOrder.enumerated() { #expect((stamp < later) == (index < other)) }
    }
  }

  @Test("A deletion removes earlier writes, and a later write creates the entry again with that field alone")
  func deletion() throws {
    func stamp(_ at: Int64) throws -> WriteStamp {
      WriteStamp(Instant(milliseconds: at), ChangeName(id: try ChangeID(text: "\(at)"), device: try DeviceID(text: "d")))
    }
    var state = EntryRegisters()
    _ = state.merge(EntryWrite(progress: 3, comment: .set("early")), at: try stamp(1), isLast: false)
    _ = state.merge(EntryWrite(comment: .set("late")), at: try stamp(5), isLast: false)
    let (applied, lost) = state.merge(.deletion, at: try stamp(3), isLast: false)
    #expect(applied == [.entry] && lost.map(\.value) == [.progress(3)] && lost.map(\.cause) == [.deleted])
    #expect(state.progress == nil && state.comment?.value == "late" && state.exists)
    #expect(state.merge(EntryWrite(progress: 9), at: try stamp(2), isLast: false).lost.map(\.cause) == [.late])
    _ = state.merge(.deletion, at: try stamp(6), isLast: false)
    #expect(!state.exists)
  }
}

extension EntryWrite {
  /// How many fields it writes; a deletion writes one, of the whole.
  fileprivate var fieldCount: Int {
    [isDeletion, progress != nil, comment != .keep, location != .keep].filter { $0 }.count
  }

  @Test("A blank comment counts as none and removes the existing one; blanks at the ends are trimmed")
  func blankComments() {
    for blank in ["", " ", "\u{200B}\u{FEFF}", "\u{2003} "] { #expect(EntryWrite(comment: .set(blank)).comment == .set(nil)) }
    #expect(EntryWrite(comment: .set(" Felt great ")).comment == .set("Felt great"))
    #expect(EntryWrite(comment: .set(nil)).comment == .set(nil) && EntryWrite(comment: .keep).isEmpty)
  }
}
