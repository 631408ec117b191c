/// What a mailed link leads to when its token is brought.
enum LinkOpening<Work: Sendable>: Sendable {
  /// What there is to be done.
  case works(Work)
  case refused(LinkRefusal)

  /// The same of other work.
  func map<Other: Sendable>(_ other: (Work) -> Other) -> LinkOpening<Other> {
    switch self {
    case .works(let work): .works(other(work))
    case .refused(let refusal): .refused(refusal)
    }
  }

  var refusal: LinkRefusal? {
    guard case .refused(let refusal) = self else { return nil }
    return refusal
  }
}
