import GRDB
import SocialContract
import Storage

/// What is between an account and another, and whether the other has blocked it, which the account itself is not to know.
struct KnownRelation: Sendable, Hashable {
  /// As the account may see it.
  var relation = Relation()
  var isBlockedByOther = false

  /// Whether neither is to see or reach the other.
  var isApart: Bool { relation.isBlocked || isBlockedByOther }
}

extension KnownRelation {
  /// The relation of a row with ``RelationStore/columns``; where they are null, there is none.
  init(_ row: Row) {
    guard let isFriend = row["is_friend"] as Bool? else { return }
    relation = Relation(
      isFriend: isFriend, friendRequest: (row["friend_request"] as String?).flatMap(ConnectionRequestDirection.init(rawValue:)),
      friendRequestID: row["friend_request_id"], follows: row["follows"], isFollowedBy: row["is_followed_by"],
      followRequestSentID: row["follow_request_sent_id"], followRequestReceivedID: row["follow_request_received_id"],
      isBlocked: row["is_blocked"])
    isBlockedByOther = row["is_blocked_by_other"]
  }
}
