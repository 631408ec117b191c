import Operations

/// `/docs`: the OpenAPI document as one page for people, with nothing loaded from elsewhere.
struct DocsPage: Sendable {
  let html: [UInt8]
  /// Allows exactly the page's own style and script, by their hashes, and nothing else.
  let policy: String

  private let document: JSON

  /// - Parameter codes: every code of a refusal, with its status and its words in English and Spanish.
  init(_ document: JSON, codes: [(code: String, status: Int, english: String, spanish: String)]) {
    self.document = document
    policy =
      "default-src 'none'; style-src '\(HTML.hash(of: DocsPage.style))'; script-src '\(HTML.hash(of: DocsPage.script))'; "
      + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    html = Array(DocsPage.page(document, codes).description.utf8)
  }

  private static func page(_ document: JSON, _ codes: [(code: String, status: Int, english: String, spanish: String)]) -> HTML {
    let operations = members(document["paths"]).flatMap { path in
      members(path.value).map { (path: path.name, method: $0.name.uppercased(), operation: $0.value) }
    }
    let tags = elements(document["tags"])
    return """
      <!doctype html>
      <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
      <title>Racha: operations</title><style>\(HTML(raw: style))</style></head><body>
      <header><h1>Racha</h1><p>\(HTML.text(string(document["info"]?["description"])))</p>
      <p>The same for programs: <a href="/openapi.json">openapi.json</a>, version \(string(document["info"]?["version"])).</p>
      <label for="filter">Search</label> <input id="filter" type="search" placeholder="name, path, word" autocomplete="off">
      <output id="count"></output></header>
      <nav aria-label="Sections">\(tags.map { tag in "<a href=\"#tag-\(string(tag["name"]))\">\(string(tag["name"]))</a> " as HTML })\
      <a href="#schemas">schemas</a> <a href="#problems">problems</a></nav>
      <main>\(tags.map { tag in section(tag, operations) })
      <section id="schemas"><h2>Schemas</h2>\(members(document["components"]?["schemas"]).map { schema($0.name, $0.value) })</section>
      <section id="problems"><h2>Problems</h2>
      <table><thead><tr><th>Code</th><th>Status</th><th>English</th><th>Spanish</th></tr></thead><tbody>\(codes.map { code in
        """
        <tr id="problem-\(code.code)" data-filter><td><code>\(code.code)</code></td><td>\(String(code.status))</td>\
        <td lang="en">\(code.english)</td><td lang="es">\(code.spanish)</td></tr>

        """ as HTML
      })</tbody></table></section></main>
      <script>\(HTML(raw: script))</script></body></html>

      """
  }

  private static func section(_ tag: JSON, _ all: [(path: String, method: String, operation: JSON)]) -> HTML {
    let name = string(tag["name"])
    let own = all.filter { elements($0.operation["tags"]).contains(.string(name)) }
    return """
      <section id="tag-\(name)"><h2>\(name)</h2><p>\(string(tag["description"]))</p>
      \(own.map { operation($0.path, $0.method, $0.operation) })</section>

      """
  }

  private static func operation(_ path: String, _ method: String, _ operation: JSON) -> HTML {
    let name = string(operation["operationId"])
    let caller = string(operation["x-caller"])
    let parameters = elements(operation["parameters"]).filter { $0["$ref"] == nil }
    let body = operation["requestBody"]?["content"]?["application/json"]?["schema"]
    return """
      <details id="operation-\(name)" data-filter><summary><b class="\(method.lowercased())">\(method)</b> <code>\(path)</code>
      <span>\(string(operation["summary"]))</span></summary>
      <p>JSON-RPC method <code>\(name)</code>\(caller.isEmpty ? "" : ", for <code>\(caller)</code>" as HTML), \
      requirement \(elements(operation["x-requirement"]).map { string($0) }.joined(separator: ", ")).</p>
      \(string(operation["description"]).isEmpty ? "" : "<p>\(HTML.text(string(operation["description"])))</p>" as HTML)\
      \(parameters.isEmpty ? "" : table("Parameters", parameters.map { (string($0["name"]) + " (" + string($0["in"]) + ")", $0["schema"] ?? .null, string($0["description"]), $0["required"] == true) }))\
      \(body.map { "<h4>Body</h4><p>\(type($0))</p>" as HTML } ?? "")\
      <h4>Answers</h4><ul>\(members(operation["responses"]).map { status in
        """
        <li><b>\(status.name)</b> \(members(status.value["content"]).first.map { type($0.value["schema"] ?? .null) } ?? "") \
        \(HTML.text(string(status.value["description"])))</li>
        """ as HTML
      })</ul></details>

      """
  }

  private static func schema(_ name: String, _ schema: JSON) -> HTML {
    let required = elements(schema["required"])
    let fields = members(schema["properties"]).map { field in
      (field.name, field.value, string(field.value["description"]), required.contains(.string(field.name)))
    }
    return """
      <details id="schema-\(name)" data-filter><summary><code>\(name)</code></summary>\
      \(fields.isEmpty ? "<p>No fields.</p>" : table(nil, fields))</details>

      """
  }

  private static func table(_ title: String?, _ fields: [(name: String, schema: JSON, text: String, isRequired: Bool)]) -> HTML {
    """
    \(title.map { "<h4>\($0)</h4>" as HTML } ?? "")<table><thead><tr><th>Field</th><th>Type</th><th>Meaning</th></tr></thead>\
    <tbody>\(fields.map { field in
      """
      <tr><td><code>\(field.name)</code>\(field.isRequired ? " <i>required</i>" as HTML : "")</td><td>\(type(field.schema))</td>\
      <td>\(HTML.text(field.text)) \(limits(field.schema))</td></tr>

      """ as HTML
    })</tbody></table>
    """
  }

  private static func type(_ schema: JSON) -> HTML {
    if case .string(let reference) = schema["$ref"], let name = reference.split(separator: "/").last {
      return "<a href=\"#schema-\(name)\">\(name)</a>"
    }
    if schema["type"] == "array" { return "list of \(type(schema["items"] ?? .null))" }
    if let properties = schema["properties"] {
      return "object of \(members(properties).map { "<code>\($0.name)</code>: \(type($0.value)); " as HTML })"
    }
    let format = string(schema["format"])
    return format.isEmpty ? "\(string(schema["type"]))" : "\(string(schema["type"])) (\(format))"
  }

  private static func limits(_ schema: JSON) -> HTML {
    let names = ["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "pattern", "enum", "examples"]
    let parts = names.compactMap { name in schema[name].map { "<small>\(name) <code>\($0.text)</code></small> " as HTML } }
    return "\(parts)"
  }

  private static func string(_ json: JSON?) -> String {
    if case .string(let text) = json { text } else { "" }
  }

  private static func elements(_ json: JSON?) -> [JSON] {
    if case .array(let elements) = json { elements } else { [] }
  }

  private static func members(_ json: JSON?) -> [JSON.Member] {
    if case .object(let members) = json { members } else { [] }
  }

  private static let style = """
    :root{color-scheme:light dark;--line:#8884}body{font:16px/1.5 system-ui,sans-serif;max-width:64rem;margin:0 auto;padding:1rem}\
    nav{position:sticky;top:0;background:Canvas;padding:.5rem 0;border-bottom:1px solid var(--line)}\
    details{border:1px solid var(--line);border-radius:.4rem;margin:.4rem 0;padding:.3rem .6rem}summary{cursor:pointer}\
    summary b{display:inline-block;min-width:4rem}.get{color:#06c}.post{color:#080}.put,.patch{color:#a60}.delete{color:#c22}\
    table{border-collapse:collapse;width:100%}td,th{border-bottom:1px solid var(--line);text-align:left;padding:.2rem .5rem;vertical-align:top}\
    code{font-family:ui-monospace,monospace;font-size:.92em}input{font:inherit;padding:.2rem .5rem;width:20rem;max-width:100%}[hidden]{display:none}\
    @media(prefers-color-scheme:dark){.get{color:#6bf}.post{color:#6d6}.put,.patch{color:#fb5}.delete{color:#f77}}
    """

  private static let script = """
    const all=[...document.querySelectorAll('[data-filter]')],field=document.getElementById('filter');\
    field.addEventListener('input',()=>{const words=field.value.toLowerCase().split(/\\s+/).filter(Boolean);let n=0;\
    for(const e of all){const t=e.textContent.toLowerCase();e.hidden=!words.every(w=>t.includes(w));n+=!e.hidden}\
    document.getElementById('count').textContent=words.length?n+' found':''});\
    const open=()=>{const e=location.hash&&document.getElementById(location.hash.slice(1));if(e&&e.tagName==='DETAILS')e.open=true};\
    addEventListener('hashchange',open);open();
    """
}
