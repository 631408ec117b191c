import Operations

/// How a stopping service and its callers part, so that no request between them is lost.
///
/// The service informs every recent caller that it is stopping. From then on a caller keeps its requests for the service's successor, and
/// confirms, after everything that it has sent. Each request that the service receives before that confirmation is finished, or sent back
/// as certainly not begun (``ReplyHeader/wasBegun``), in which case the caller keeps it likewise. So when the service closes, nothing is on
/// its way. Both messages have the form of a request and its reply, with a tag that no request has: a peer that does not know them, such as
/// a plain REQ socket, ignores them.
enum ShutdownHandshake {
  /// Takes the place of a request's tag.
  static let tag: UInt64 = 0
  static let tagFrame = [UInt8](repeating: 0, count: 8)

  /// The service's message, after the tag.
  static let notice: [[UInt8]] = [
    [], ReplyHeader(id: "", status: RequestFailure.unavailable.status, wasBegun: false).wire,
    Failure(RequestFailure.unavailable).json,
  ]

  /// The caller's confirmation, after the tag.
  static let answer: [[UInt8]] = [[], ReplyHeader(id: "", status: 200).wire, Empty().json]

  /// Whether the frames after the caller's identity are its confirmation.
  static func isAnswer(_ frames: ArraySlice<[UInt8]>) -> Bool { frames.first == tagFrame && frames.count == 4 }

  /// The end of the header of a reply that sends a request back, as we write it.
  private static let notBegun = Array(#","wasBegun":false}"#.utf8)

  /// Whether the reply says that its request was certainly not begun.
  static func sendsBack(_ reply: RawReply) -> Bool { reply.header.suffix(notBegun.count).elementsEqual(notBegun) }
}
