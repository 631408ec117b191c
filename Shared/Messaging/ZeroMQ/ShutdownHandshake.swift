import Operations

/// How a service that stops and its callers part, so that no request is lost between them.
///
/// The service informs everybody who called it lately that it stops. From then on a caller keeps its requests for the service's
/// successor, and answers, behind all that it has sent. What the service receives until that answer is either a request that it
/// finishes or one that it sends back as certainly not begun (``ReplyHeader/wasBegun``), which the caller keeps likewise. So when
/// it closes, nothing is on the way. Both messages are those of a request and its reply, with a tag that no request has: a peer that does
/// not know them, such as a plain REQ socket, passes them over.
enum ShutdownHandshake {
  /// Instead of a request's tag.
  static let tag: UInt64 = 0
  static let tagFrame = [UInt8](repeating: 0, count: 8)

  /// What the service says, behind the tag.
  static let notice: [[UInt8]] = [
    [], ReplyHeader(id: "", status: RequestFailure.unavailable.status, wasBegun: false).wire,
    Failure(RequestFailure.unavailable).json,
  ]

  /// What the caller answers, behind the tag.
  static let answer: [[UInt8]] = [[], ReplyHeader(id: "", status: 200).wire, Empty().json]

  /// Whether that is the caller's answer: the frames behind its identity.
  static func isAnswer(_ frames: ArraySlice<[UInt8]>) -> Bool { frames.first == tagFrame && frames.count == 4 }

  /// The end of the header of a reply that sends a request back, as we write it.
  private static let notBegun = Array(#","wasBegun":false}"#.utf8)

  /// Whether the reply says that its request was certainly not begun.
  static func sendsBack(_ reply: RawReply) -> Bool { reply.header.suffix(notBegun.count).elementsEqual(notBegun) }
}
