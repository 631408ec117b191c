/// Jobs in the order in which they run: small ones first come, first served, large ones round robin by owner.
///
/// One large job runs after each batch of small jobs. So an owner of many large jobs delays a small job by about one large job, and another
/// owner's large job by as many as there are owners.
struct WaitingJobs<Job> {
  /// How many large jobs of one owner may wait.
  static var largePerOwner: Int { 256 }

  /// The owner of a large job; nil for a small one.
  private let owner: @Sendable (Job) -> String?
  private var small: [Job] = []
  private var large: [String: [Job]] = [:]
  /// The owners of waiting large jobs, in the order of their turns.
  private var turns: [String] = []
  private(set) var count = 0

  init(owner: @escaping @Sendable (Job) -> String?) { self.owner = owner }

  var isEmpty: Bool { count == 0 }

  /// - Returns: false if the owner has the maximum number of large jobs waiting.
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

  /// Takes the next jobs: small ones, then one large one.
  ///
  /// - Parameter limit: how many small jobs at most.
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
