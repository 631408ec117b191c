import ActivityContract
import Operations

/// Which imports are read at the same time: few, so that memory stays bounded; one of an account at most; and never so many large
/// ones that somebody's small file would wait for them.
struct ImportSlots: Sendable {
  private var read: [ImportID: (account: AccountID, isLarge: Bool)] = [:]

  var count: Int { read.count }

  /// Whether it may be read beside those that are.
  func haveRoom(for row: ImportRow) -> Bool {
    read.count < ImportLimits.maxRead && !read.values.contains { $0.account == row.account }
      && (!row.isLarge || read.values.count(where: \.isLarge) < ImportLimits.maxLargeRead)
  }

  mutating func begin(_ row: ImportRow) { read[row.id] = (row.account, row.isLarge) }

  mutating func end(_ row: ImportRow) { read[row.id] = nil }
}

extension ImportRow {
  /// Whether its reading takes more than some seconds.
  var isLarge: Bool {
    switch format {
    case .appleHealthZip, .loopZip, .takeout: totalBytes > ImportLimits.largeArchiveBytes
    default: totalBytes > ImportLimits.largeBytes
    }
  }
}
