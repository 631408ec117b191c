import Operations

/// A page whose form sends a file. Its body is larger and takes longer than others: it is passed on as it arrives, while the page answers.
/// What the page leaves unread is read and discarded before its answer is sent.
protocol UploadPage: BrowserPage {
  /// The path to which the form is sent.
  var uploadPath: String { get }

  /// Answers a form that is being sent.
  ///
  /// - Throws: what ``refusal(_:_:)`` then shows.
  func answer(_ request: inout PageRequest, _ body: RequestBodyStream) async throws(Failure) -> PageAnswer
}
