import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// How far the other account of a conversation has read, as its friend may know (SOC-5).
///
/// What was read while one of the two gave no read receipts is never shown, not even when both do later.
enum ReadReceiptStore {
  /// Whether two accounts see how far the other has read: they are friends, and both give read receipts.
  static func areShown(_ one: AccountID, _ other: AccountID, in database: Database) throws -> Bool {
    guard try FriendStore.areFriends(one, other, in: database) else { return false }
    return try [one, other].allSatisfy { try Accounts.find($0, in: database)?.givesReadReceipts == true }
  }

  /// The newest message that the reader has read, as far as the writer may know; nil where there is none.
  static func find(from reader: AccountID, to writer: AccountID, in database: Database) throws -> ID<ChatMessage>? {
    let statement = try database.cachedStatement(
      sql: """
        SELECT m.message_id FROM conversation_sides side JOIN messages m ON m.sequence = side.receipt_sequence
        WHERE side.account_id = ? AND side.other_account = ?
        """)
    return try Row.fetchOne(statement, arguments: [reader, writer]).map { $0["message_id"] }
  }
}
