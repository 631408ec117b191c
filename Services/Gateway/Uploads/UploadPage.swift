import Operations

/// A page whose form sends a file, so that its body is larger than others, and takes longer: it is handed on as it arrives, while the page
/// answers. What the page does not read is read and forgotten before its answer goes out.
protocol UploadPage: BrowserPage {
  /// The path to which the form is sent.
  var uploadPath: String { get }

  /// Answers a form that is being sent.
  ///
  /// - Throws: what ``refusal(_:_:)`` then shows.
  func answer(_ request: inout PageRequest, _ body: RequestBodyStream) async throws(Failure) -> PageAnswer
}
