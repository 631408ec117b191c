import Operations

/// Bounds of work that accounts share.
public struct FairLimits: Hashable, Sendable {
  /// How much is done at the same time, for all together.
  public var maxRunning: Int
  /// How much waits, of all together; beyond it comes `overloaded` (503).
  public var maxWaiting: Int
  /// How much of one account waits beside what is done for it; beyond it comes `rate_limited` (429).
  public var maxWaitingPerAccount: Int

  /// The bounds from their parts.
  public init(maxRunning: Int, maxWaiting: Int, maxWaitingPerAccount: Int = .max) {
    self.maxRunning = maxRunning
    self.maxWaiting = maxWaiting
    self.maxWaitingPerAccount = maxWaitingPerAccount
  }
}

/// Whose turn it is: of those who wait, one account after the other (round robin), one entry of an account at a time, in the order in
/// which its own came. An entry without an account is as one of an account of its own.
struct FairQueue<Entry> {
  /// What becomes of an entry that comes.
  enum Admission: Hashable {
    /// It is its turn.
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
  /// Those who wait, each once, whoever is next first.
  private var turns: [Key] = []
  private var waitingCount = 0

  init(_ limits: FairLimits) { self.limits = limits }

  /// - Parameter id: names the entry; of another each time.
  mutating func submit(_ entry: Entry, _ id: UInt64, of account: AccountID?) -> Admission {
    let key = Key(account, id)
    // Whoever waits while there is a slot waits for an entry of its own account.
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

  /// Ends what was running.
  ///
  /// - Returns: the entry whose turn it is now.
  mutating func finish(_ id: UInt64, of account: AccountID?) -> Entry? {
    let finished = Key(account, id)
    running.remove(finished)
    // Whoever has just had a turn comes behind all others.
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

  /// Takes an entry back that waits; nil if it does not.
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
