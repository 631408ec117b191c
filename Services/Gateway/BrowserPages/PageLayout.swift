import GatewayContract
import NIOCore
import Operations

/// What a page shows.
struct PageContent: Sendable {
  var status = 200
  let title: String
  let content: HTML
  var layout = PageLayout.form

  init(status: Int = 200, title: String, _ content: HTML, layout: PageLayout = .form) {
    self.status = status
    self.title = title
    self.content = content
    self.layout = layout
  }

  /// A page that says what went wrong, and how to name it to others.
  init(_ problem: Problem, title: String, _ remedy: HTML = "") {
    self.init(status: problem.status, title: title, "\(PageContent.alert(problem))\(remedy)")
  }

  /// The problem's detail and its request ID.
  static func alert(_ problem: Problem) -> HTML {
    "<p role=\"alert\">\(problem.detail)</p><p><small>\(problem.requestID)</small></p>"
  }
}

/// What pages of a kind look like, and what the browser lets them do: nothing but to show themselves and to send their form here.
struct PageLayout: Sendable {
  let style: String
  /// The `Content-Security-Policy`.
  let policy: String
  /// Whether titles may be strangers' words, which must not turn the direction of what is around them.
  let isolatesTitle: Bool

  /// - Parameters:
  ///   - styleSource: which styles apply; only the page's own by default.
  ///   - imageSource: where pictures may come from; from nowhere by default.
  ///   - formAction: where forms may be sent.
  init(
    style: String, styleSource: String? = nil, imageSource: String? = nil, formAction: String = "'none'",
    isolatesTitle: Bool = false
  ) {
    self.style = style
    self.isolatesTitle = isolatesTitle
    policy =
      "default-src 'none'; style-src \(styleSource ?? "'\(HTML.hash(of: style))'"); "
      + (imageSource.map { "img-src \($0); " } ?? "") + "form-action \(formAction); base-uri 'none'; frame-ancestors 'none'"
  }

  /// Of a page with a few words and a form.
  static let form = PageLayout(
    style: """
      :root{color-scheme:light dark}body{font:1.125rem/1.5 system-ui,sans-serif;max-width:32rem;margin:0 auto;padding:2rem 1rem}\
      h1{font-size:1.6rem;line-height:1.25}button{font:inherit;padding:.6rem 1.2rem;border:0;border-radius:.4rem;color:#fff;\
      background:#0a5c36;cursor:pointer}button:focus-visible,input:focus-visible,textarea:focus-visible{outline:3px solid;outline-offset:3px}\
      label{display:block;margin:1rem 0}input:not([type=hidden]):not([type=checkbox]),textarea{display:block;\
      box-sizing:border-box;width:100%;font:inherit;padding:.5rem}h2{font-size:1.25rem;margin:2rem 0 .5rem}\
      blockquote{margin:1rem 0;padding-inline-start:1rem;border-inline-start:.25rem solid;white-space:pre-line;\
      overflow-wrap:anywhere}button.alarm{background:#a3160f}
      """,
    formAction: "'self'")
}

extension HTTPAnswer {
  /// A page's answer as it goes to the browser: nothing else makes pages.
  init(_ answer: PageAnswer, _ language: Language) {
    switch answer {
    case .page(let page):
      let heading: HTML = page.layout.isolatesTitle ? "<bdi>\(page.title)</bdi>" : "\(page.title)"
      let html: HTML = """
        <!doctype html>
        <html lang="\(language.rawValue)"><head><meta charset="utf-8">\
        <meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
        <title>\(page.title) – Racha</title><style>\(HTML(raw: page.layout.style))</style></head>
        <body><main><h1>\(heading)</h1>
        \(page.content)
        </main></body></html>

        """
      self.init(
        status: page.status, type: "text/html; charset=utf-8", body: ByteBuffer(string: html.description),
        extra: [
          ResponseField(name: "Content-Language", value: language.rawValue),
          ResponseField(name: "X-Robots-Tag", value: "noindex"),
        ], policy: page.layout.policy)
    case .redirect(let location, let cookie):
      self.init(
        status: 303, type: "text/plain; charset=utf-8", body: ByteBuffer(),
        extra: [ResponseField(name: "Location", value: location)]
          + (cookie.map { [ResponseField(name: "Set-Cookie", value: $0)] } ?? []))
    }
  }
}
