/// What a mailed link leads to when its token is brought.
enum LinkOpening<Work: Sendable>: Sendable {
  /// What there is to be done.
  case works(Work)
  case refused(LinkRefusal)

  var refusal: LinkRefusal? {
    guard case .refused(let refusal) = self else { return nil }
    return refusal
  }
}
