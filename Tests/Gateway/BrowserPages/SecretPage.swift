import Testing

extension RawConnection.Response {
  /// Expects a page that may have a secret in its address: nobody keeps it or puts it into a frame, it loads nothing, and its address
  /// goes nowhere.
  ///
  /// - Parameter links: whether it leads to other pages.
  func expectSecretPage(links: Bool = false) throws {
    #expect(status == 200)
    #expect(fields["content-type"] == "text/html; charset=utf-8")
    #expect(fields["cache-control"] == "no-store")
    #expect(fields["referrer-policy"] == "no-referrer")
    let policy = try #require(fields["content-security-policy"])
    #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-"))
    #expect(policy.contains("form-action 'self'") && policy.contains("frame-ancestors 'none'"))
    let loaders = ["src=", "<script", "style=\"", "://", "@import", "url("] + (links ? [] : ["href="])
    for loader in loaders { #expect(!body.contains(loader)) }
  }
}
