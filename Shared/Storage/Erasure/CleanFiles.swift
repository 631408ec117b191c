import GRDB
import Operations

extension Store {
  /// Removes from the file what versions of this program that did not write it through ``ScrubbedFile`` left over in its pages. Done once
  /// in a store's life, in steps with rests between, each of which outlasts the process. A step that takes longer than ``longestScrub`` makes
  /// the next ones smaller, since writes wait for it: a store of a gigabyte takes half a minute where the disk is fast.
  public func scrubEarlierPages() async throws {
    try requireWritable()
    var step = StepSize(
      first: Store.pagesOfFirstScrub, max: limits.pagesPerScrub, target: Store.longestScrub, allowsForOverhead: false)
    while let first = try await firstUnscrubbedPage() {
      let start = ContinuousClock.now
      let next: Int64?
      do {
        next = try await connections.scrub(from: first, count: step.count)
      } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
        // Somebody else checkpoints.
        try await Task.sleep(for: .milliseconds(100))
        continue
      } catch {
        throw published(error)
      }
      let duration = ContinuousClock.now - start
      step.took(duration)
      try await write { transaction in
        try transaction.database.run(
          "UPDATE store_states SET scrubbed_pages = ?, scrubbed_at = ?", .integer((next ?? first) - 1),
          next == nil ? .instant(transaction.now) : .null)
      }
      if next != nil { try await Task.sleep(for: duration * Store.restAfterScrub) }
    }
  }

  /// Removes from the files what was deleted or overwritten so far: brings the write-ahead log into the file, which scrubs its pages, and
  /// cuts it to nothing. Writes wait for no more than the checkpoints that they cause themselves do, and ``patience``.
  ///
  /// - Returns: false where it has to be tried again: a reader needs the log still, such as a copy that is being made, or
  ///   ``scrubEarlierPages()`` has not ended.
  /// - Throws: ``StoreFailure/tooManyPages(_:)``, or SQLite's error.
  public func cleanFiles() async throws -> Bool {
    try requireWritable()
    guard try await firstUnscrubbedPage() == nil else { return false }
    try await read(ScrubbedFile.checkSize)
    do {
      defer { space.keepReserve() }
      for attempt in 1...Store.cleaningAttempts {
        try await connections.checkpoint()
        if try await connections.cutLog(patience: Store.patience) { return true }
        // The reader is about to end, or it will not for long.
        if attempt < Store.cleaningAttempts { try await Task.sleep(for: .milliseconds(20 * attempt)) }
      }
      return false
    } catch {
      throw published(error)
    }
  }

  /// How long a step is to take.
  private static let longestScrub = Duration.milliseconds(20)
  private static let pagesOfFirstScrub = 16
  /// Rests are so many times as long as the steps between them.
  private static let restAfterScrub = 4
  private static let cleaningAttempts = 10
  /// How long readers are waited for while writes wait, in milliseconds: most have ended by then.
  private static let patience = 20

  private func firstUnscrubbedPage() async throws -> Int64? {
    try await read { database in
      try database.first("SELECT scrubbed_pages FROM store_states WHERE scrubbed_at IS NULL") { Int64($0.number(0)) + 1 }
    }
  }
}
