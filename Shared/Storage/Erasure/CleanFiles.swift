import GRDB
import Operations

extension Store {
  /// Removes leftover data from pages written by versions of this program that did not use ``ScrubbedFile``. This is done once in a store's
  /// life, in steps with pauses between them, and continues after a restart. A step that takes longer than ``longestScrub`` makes the next
  /// ones smaller, since writes wait for it: a store of a gigabyte takes half a minute on a fast disk.
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
        // Another connection is checkpointing.
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

  /// Removes deleted and overwritten data from the files: checkpoints the write-ahead log, which scrubs the pages, and truncates it. Writes
  /// wait no longer than for the checkpoints that they cause themselves, and ``patience``.
  ///
  /// - Returns: false if it has to be retried: a reader, such as a running copy, still needs the log, or ``scrubEarlierPages()`` has not
  ///   ended.
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
        // The reader ends soon, or not for a long time.
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
  /// Pauses are this many times as long as the steps between them.
  private static let restAfterScrub = 4
  private static let cleaningAttempts = 10
  /// How long to wait for readers while writes wait, in milliseconds: most readers have ended by then.
  private static let patience = 20

  private func firstUnscrubbedPage() async throws -> Int64? {
    try await read { database in
      try database.first("SELECT scrubbed_pages FROM store_states WHERE scrubbed_at IS NULL") { Int64($0.number(0)) + 1 }
    }
  }
}
