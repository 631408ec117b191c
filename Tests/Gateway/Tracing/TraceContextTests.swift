import Testing

@testable import GatewayService

@Suite("Trace context and request names")
struct TraceContextTests {
  static let valid = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

  @Test("A trace continues under a new parent")
  func continues() throws {
    let trace = try #require(TraceContext(traceparent: Self.valid))
    #expect(trace.traceID == "0af7651916cd43dd8448eb211c80319c")
    let next = try #require(TraceContext(traceparent: trace.nextTraceparent()))
    #expect(next == trace)
    #expect(!trace.nextTraceparent().contains("b7ad6b7169203331"))
  }

  @Test(
    "An invalid traceparent begins a new trace",
    arguments: [
      "", "00", "00-00000000000000000000000000000000-b7ad6b7169203331-01",
      "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
      "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0g", "00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    ])
  func refuses(text: String) { #expect(TraceContext(traceparent: text) == nil) }

  @Test("A later version of a traceparent is read as far as it is known")
  func laterVersion() {
    #expect(TraceContext(traceparent: "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more") != nil)
  }

  @Test("A client's name for its request is kept in the answer and made unique internally")
  func requestName() {
    let first = RequestName(given: "mine")
    let second = RequestName(given: "mine")
    #expect(first.outer == "mine")
    #expect(first.inner.hasPrefix("mine."))
    #expect(first.inner != second.inner)
  }

  @Test(
    "An invalid name that a client gives its request is replaced",
    arguments: ["", "a b", "a\u{7}", "ñ", String(repeating: "x", count: 65)])
  func replaced(text: String) { #expect(RequestName(given: text).outer != text) }
}
