import ActivityContract
import Operations

/// A field's value with its effective write.
struct Register<Value: Hashable & Sendable>: Hashable, Sendable {
  let value: Value
  let stamp: WriteStamp
}

/// The contents of a write: a value for each field that it names, or the deletion of the entry.
struct EntryWrite: Hashable, Sendable {
  var progress: Int?
  let comment: Patch<String?>
  let location: Patch<EntryLocation?>
  /// The photo's tag.
  let photo: Patch<String?>
  let isDeletion: Bool

  /// - Parameter comment: stored without blanks at its ends; a blank comment removes the present one. This applies wherever a comment comes
  ///   from.
  init(
    progress: Int? = nil, comment: Patch<String?> = .keep, location: Patch<EntryLocation?> = .keep,
    photo: Patch<String?> = .keep, isDeletion: Bool = false
  ) {
    self.progress = progress
    self.comment = comment.value.map { .set($0.isBlank ? nil : $0.trimmed) } ?? comment
    self.location = location
    self.photo = photo
    self.isDeletion = isDeletion
  }

  static let deletion = EntryWrite(isDeletion: true)

  var isEmpty: Bool { self == EntryWrite() }

  /// Whether the write only removes values, which is allowed on any day.
  var isRemoval: Bool { progress == nil && comment.value == nil && location.value == nil && photo.value == nil }
}

/// A write of a field that does not count, or no longer counts.
struct LostWrite: Hashable, Sendable {
  enum Value: Hashable, Sendable {
    case progress(Int)
    case comment(String?)
    case location(EntryLocation?)
    case photo(String?)
    case deletion

    var field: EntryField {
      switch self {
      case .progress: .progress
      case .comment: .comment
      case .location: .location
      case .photo: .photo
      case .deletion: .entry
      }
    }
  }

  let value: Value
  let stamp: WriteStamp
  let cause: EntryChange.Cause
}

/// An entry as the latest writes of its fields: the state is the same in whatever order, and however often, the writes arrive (ACT-17).
///
/// Each field is a register that only a later write changes; a deletion is a register that empties all fields written before it. The entry
/// exists where any field was written since.
struct EntryRegisters: Hashable, Sendable {
  var progress: Register<Int>?
  var comment: Register<String?>?
  var location: Register<EntryLocation?>?
  var photo: Register<String?>?
  var deletion: WriteStamp?

  var exists: Bool { progress != nil || comment != nil || location != nil || photo != nil }

  /// Merges a write: it counts in each field that has no later write.
  ///
  /// - Parameter isLast: whether it counts whatever the stamps say, because it was made knowing all that is here. What says the same
  ///   as is there already is then no write.
  /// - Returns: the fields in which it counts, and the writes that do not, be they its own or those before.
  mutating func merge(
    _ write: EntryWrite, at stamp: WriteStamp, isLast: Bool
  ) -> (applied: [EntryField], lost: [LostWrite]) {
    var merge = Merge(registers: self, stamp: stamp, isLast: isLast)
    if write.isDeletion {
      merge.delete()
    } else {
      if let progress = write.progress { merge.write(progress, to: \.progress, LostWrite.Value.progress) }
      if case .set(let comment) = write.comment { merge.write(comment, to: \.comment, LostWrite.Value.comment) }
      if case .set(let location) = write.location { merge.write(location, to: \.location, LostWrite.Value.location) }
      if case .set(let photo) = write.photo { merge.write(photo, to: \.photo, LostWrite.Value.photo) }
    }
    self = merge.registers
    return (merge.applied, merge.lost)
  }
}

private struct Merge {
  var registers: EntryRegisters
  let stamp: WriteStamp
  let isLast: Bool
  var applied: [EntryField] = []
  var lost: [LostWrite] = []

  mutating func write<Value>(
    _ value: Value, to field: WritableKeyPath<EntryRegisters, Register<Value>?>, _ lostValue: (Value) -> LostWrite.Value
  ) {
    let own = lostValue(value)
    let before = registers[keyPath: field]
    if isLast {
      if let before, before.value == value { return }
    } else if let later = [before?.stamp, registers.deletion].compactMap({ $0 }).max(), stamp < later {
      lost.append(LostWrite(value: own, stamp: stamp, cause: .late))
      return
    }
    if let before { lost.append(LostWrite(value: lostValue(before.value), stamp: before.stamp, cause: .overwritten)) }
    registers[keyPath: field] = Register(value: value, stamp: stamp)
    applied.append(own.field)
  }

  mutating func delete() {
    if let before = registers.deletion {
      guard isLast || before < stamp else {
        lost.append(LostWrite(value: .deletion, stamp: stamp, cause: .late))
        return
      }
      lost.append(LostWrite(value: .deletion, stamp: before, cause: .overwritten))
    }
    let existed = registers.exists
    let count = lost.count
    registers.deletion = stamp
    empty(\.progress, LostWrite.Value.progress)
    empty(\.comment, LostWrite.Value.comment)
    empty(\.location, LostWrite.Value.location)
    empty(\.photo, LostWrite.Value.photo)
    if !existed || lost.count > count { applied.append(.entry) }
  }

  private mutating func empty<Value>(
    _ field: WritableKeyPath<EntryRegisters, Register<Value>?>, _ lostValue: (Value) -> LostWrite.Value
  ) {
    guard let before = registers[keyPath: field], isLast || before.stamp < stamp else { return }
    lost.append(LostWrite(value: lostValue(before.value), stamp: before.stamp, cause: .deleted))
    registers[keyPath: field] = nil
  }
}
