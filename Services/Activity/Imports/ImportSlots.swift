import ActivityContract
import Operations

/// Decides which imports are read at the same time: few, so that memory stays bounded; at most one per account; and never so many large
/// ones that a small file would have to wait for them.
struct ImportSlots: Sendable {
  private var read: [ImportID: (account: AccountID, isLarge: Bool)] = [:]

  var count: Int { read.count }

  /// Whether the import may be read in addition to the running ones.
  func haveRoom(for row: ImportRow) -> Bool {
    read.count < ImportLimits.maxRead && !read.values.contains { $0.account == row.account }
      && (!row.isLarge || read.values.count(where: \.isLarge) < ImportLimits.maxLargeRead)
  }

  mutating func begin(_ row: ImportRow) { read[row.id] = (row.account, row.isLarge) }

  mutating func end(_ row: ImportRow) { read[row.id] = nil }
}

extension ImportRow {
  /// Whether reading takes more than a few seconds.
  var isLarge: Bool {
    switch format {
    case .appleHealthZip, .loopZip, .takeout: totalBytes > ImportLimits.largeArchiveBytes
    default: totalBytes > ImportLimits.largeBytes
    }
  }
}
