/// Jobs in the order in which they run: small ones as they came, large ones round robin by owner.
///
/// Large jobs are scheduled with the waiting small jobs, up to a limit, between two of them. So an owner of many large jobs delays a small
/// job by about one of them, and a large job of another owner by as many as there are owners.
struct WaitingJobs<Job> {
  /// Large jobs that one owner may have waiting.
  static var largePerOwner: Int { 256 }

  /// Whose a large job is; nil for a small one.
  private let owner: @Sendable (Job) -> String?
  private var small: [Job] = []
  private var large: [String: [Job]] = [:]
  /// The owners of large ones, the next first.
  private var turns: [String] = []
  private(set) var count = 0

  init(owner: @escaping @Sendable (Job) -> String?) { self.owner = owner }

  var isEmpty: Bool { count == 0 }

  /// - Returns: false where its owner has as many waiting as it may.
  mutating func append(_ job: Job) -> Bool {
    if let owner = owner(job) {
      guard large[owner, default: []].count < WaitingJobs.largePerOwner else { return false }
      if large[owner] == nil { turns.append(owner) }
      large[owner, default: []].append(job)
    } else {
      small.append(job)
    }
    count += 1
    return true
  }

  /// Takes the next ones: small ones, and behind them a large one.
  ///
  /// - Parameter limit: how many small ones at most.
  mutating func next(atMost limit: Int) -> [Job] {
    guard small.count <= limit else {
      defer { small.removeFirst(limit) }
      count -= limit
      return Array(small.prefix(limit)) + nextLarge()
    }
    defer { small = [] }
    count -= small.count
    return turns.isEmpty ? small : small + nextLarge()
  }

  private mutating func nextLarge() -> [Job] {
    guard !turns.isEmpty else { return [] }
    let owner = turns.removeFirst()
    var jobs = large[owner] ?? []
    guard !jobs.isEmpty else { return [] }
    let job = jobs.removeFirst()
    large[owner] = jobs.isEmpty ? nil : jobs
    if !jobs.isEmpty { turns.append(owner) }
    count -= 1
    return [job]
  }
}
