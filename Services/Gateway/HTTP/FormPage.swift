import GatewayContract
import NIOCore
import Operations

/// A page for whoever opens a link of a mail: in their language, with a form. It needs nothing but itself, runs no script, and
/// its form goes nowhere else.
enum FormPage {
  private static let policy =
    "default-src 'none'; style-src '\(HTML.hash(of: style))'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

  static func answer(_ status: Int, _ title: String, _ language: Language, _ content: HTML) -> HTTPAnswer {
    let html: HTML = """
      <!doctype html>
      <html lang="\(language.rawValue)"><head><meta charset="utf-8">\
      <meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
      <title>\(title) – Racha</title><style>\(HTML(raw: style))</style></head>
      <body><main><h1>\(title)</h1>
      \(content)
      </main></body></html>

      """
    return HTTPAnswer(
      status: status, type: "text/html; charset=utf-8", body: .init(string: html.description),
      extra: [ResponseField(name: "Content-Language", value: language.rawValue)], policy: policy)
  }

  /// What a failure says of itself, as part of such a page.
  static func refusal(_ problem: Problem) -> HTML {
    "<p role=\"alert\">\(problem.detail)</p><p><small>\(problem.requestID)</small></p>"
  }

  private static let style = """
    :root{color-scheme:light dark}body{font:1.125rem/1.5 system-ui,sans-serif;max-width:32rem;margin:0 auto;padding:2rem 1rem}\
    h1{font-size:1.6rem;line-height:1.25}button{font:inherit;padding:.6rem 1.2rem;border:0;border-radius:.4rem;color:#fff;\
    background:#0a5c36;cursor:pointer}button:focus-visible,input:focus-visible{outline:3px solid;outline-offset:3px}\
    label{display:block;margin:1rem 0}input:not([type=hidden]){display:block;box-sizing:border-box;width:100%;font:inherit;\
    padding:.5rem}
    """
}
