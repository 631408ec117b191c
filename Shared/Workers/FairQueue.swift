import Operations

/// Limits of work that accounts share.
public struct FairLimits: Hashable, Sendable {
  /// How much runs at the same time, for all accounts together.
  public var maxRunning: Int
  /// How much may wait, for all accounts together; beyond it, `overloaded` (503).
  public var maxWaiting: Int
  /// How much may wait for one account, in addition to what is running for it; beyond it, `rate_limited` (429).
  public var maxWaitingPerAccount: Int

  /// The limits from their parts.
  public init(maxRunning: Int, maxWaiting: Int, maxWaitingPerAccount: Int = .max) {
    self.maxRunning = maxRunning
    self.maxWaiting = maxWaiting
    self.maxWaitingPerAccount = maxWaitingPerAccount
  }
}

/// The order of waiting entries: one account after the other (round robin), one entry of an account at a time, and an account's entries
/// first come, first served. An entry without an account counts as an account of its own.
struct FairQueue<Entry> {
  /// The outcome for a submitted entry.
  enum Admission: Hashable {
    /// Its turn has come.
    case running
    case waiting
    case refused(RequestFailure)
  }

  private enum Key: Hashable {
    case account(AccountID)
    case alone(UInt64)

    init(_ account: AccountID?, _ id: UInt64) { self = account.map(Key.account) ?? .alone(id) }
  }

  private struct Waiting {
    let id: UInt64
    let entry: Entry
  }

  private let limits: FairLimits
  private var running: Set<Key> = []
  private var waiting: [Key: [Waiting]] = [:]
  /// The waiting accounts, each once, the next one first.
  private var turns: [Key] = []
  private var waitingCount = 0

  init(_ limits: FairLimits) { self.limits = limits }

  /// - Parameter id: identifies the entry; never reused.
  mutating func submit(_ entry: Entry, _ id: UInt64, of account: AccountID?) -> Admission {
    let key = Key(account, id)
    // An entry that waits while there is a free slot waits for another entry of its own account.
    if running.count < limits.maxRunning, !running.contains(key) {
      running.insert(key)
      return .running
    }
    guard waiting[key, default: []].count < limits.maxWaitingPerAccount else { return .refused(.rateLimited) }
    guard waitingCount < limits.maxWaiting else { return .refused(.overloaded) }
    if waiting[key] == nil { turns.append(key) }
    waiting[key, default: []].append(Waiting(id: id, entry: entry))
    waitingCount += 1
    return .waiting
  }

  /// Ends a running entry.
  ///
  /// - Returns: the entry whose turn it is now.
  mutating func finish(_ id: UInt64, of account: AccountID?) -> Entry? {
    let finished = Key(account, id)
    running.remove(finished)
    // An account that has just had a turn goes behind all others.
    if let index = turns.firstIndex(of: finished) { turns.append(turns.remove(at: index)) }
    guard running.count < limits.maxRunning, let index = turns.firstIndex(where: { !running.contains($0) }) else { return nil }
    let key = turns.remove(at: index)
    guard let entry = takeFirst(of: key) else { return nil }
    if waiting[key] != nil { turns.append(key) }
    running.insert(key)
    return entry
  }

  private mutating func takeFirst(of key: Key) -> Entry? {
    guard let first = waiting[key]?.removeFirst() else { return nil }
    if waiting[key]?.isEmpty == true { waiting[key] = nil }
    waitingCount -= 1
    return first.entry
  }

  /// Removes a waiting entry; nil if it is not waiting.
  mutating func remove(_ id: UInt64, of account: AccountID?) -> Entry? {
    let key = Key(account, id)
    guard let index = waiting[key]?.firstIndex(where: { $0.id == id }), let entry = waiting[key]?.remove(at: index).entry else {
      return nil
    }
    waitingCount -= 1
    if waiting[key]?.isEmpty == true {
      waiting[key] = nil
      turns.removeAll { $0 == key }
    }
    return entry
  }
}
