import IdentityContract
import Operations

/// The parts of the OpenAPI document that no contract declares.
extension OpenAPI {
  static let idempotencyKey: JSON = [
    "name": "Idempotency-Key", "in": "header",
    "description": """
    Makes a repetition harmless: the same key with the same request gives the same answer, for 7 days. With another request it is \
    refused; where nobody is signed in, another request under the same key is just another request.
    """,
    "schema": ["type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"],
  ]

  static let ifNoneMatch: JSON = [
    "name": "If-None-Match", "in": "header",
    "description": "Entity tags of the files that the client has (RFC 9110, section 13.1.2).", "schema": ["type": "string"],
  ]

  static let headers: JSON = [
    "ETag": ["description": "Names exactly these bytes.", "schema": ["type": "string"]],
    "X-Request-ID": ["description": "Names the request, in logs too.", "schema": ["type": "string"]],
    "RateLimit": [
      "description": "What is left of the budget (`r`) and until when (`t`, in seconds).", "schema": ["type": "string"],
    ],
    "RateLimit-Policy": ["description": "The budget: `q` calls in `w` seconds.", "schema": ["type": "string"]],
    "Retry-After": ["description": "Seconds until a repetition may succeed.", "schema": ["type": "integer"]],
  ]

  static let answerHeaders: JSON = [
    "X-Request-ID": ["$ref": "#/components/headers/X-Request-ID"], "RateLimit": ["$ref": "#/components/headers/RateLimit"],
    "RateLimit-Policy": ["$ref": "#/components/headers/RateLimit-Policy"],
  ]

  /// `/v1/live`.
  var live: JSON {
    [
      "operationId": "live", "tags": ["gateway"], "summary": "Follow your notifications live, as server-sent events.",
      "description": .string(
        """
        Begins with the event `ready`, `{"number"}`, whose id is the number after which it goes on; then one event `notification` \
        for each, its number as id and the notification as data; a comment every 15 s; at the end the event `end` with the reason. \
        To resume without gap or double, connect again with the last id. An id beyond the newest, as from a store that was \
        replaced by its backup, is not taken: `ready` then has the newest number and `"reset": true`, and what was seen before is \
        to be listed again. Over JSON-RPC the id is the member `lastEventID`, as a number or as text.
        """),
      "parameters": [
        [
          "name": "Last-Event-ID", "in": "header", "description": "Id of the last event seen.",
          "schema": ["type": "integer", "minimum": 0],
        ],
        [
          "name": "lastEventID", "in": "query", "description": "The same, for a first connection.",
          "schema": ["type": "integer", "minimum": 0],
        ],
      ],
      "responses": [
        "200": ["description": "The stream.", "content": ["text/event-stream": ["schema": ["type": "string"]]]],
        "default": [
          "description": "A problem.",
          "content": ["application/problem+json": ["schema": ["$ref": "#/components/schemas/Problem"]]],
        ],
      ],
      "security": [["bearer": []]], "x-requirement": ["GW-1"],
    ]
  }

  private static let linkToken: JSON = ["type": "string", "minLength": 1, "maxLength": 200]

  /// `GET` of a page behind a mailed link.
  static func linkPage(_ page: LinkPage) -> JSON {
    self.page(
      "\(page.name)Page", "The page behind a mailed link; its button calls `\(page.operation)`.", page.requirement,
      parameters: [
        [
          "name": "token", "in": "query", "required": true, "description": "The mailed link's token.", "schema": linkToken,
        ]
      ])
  }

  /// `POST` of the same.
  static func linkForm(_ page: LinkPage) -> JSON {
    form(
      "\(page.name)Form", "The same page's form, as `\(page.operation)`; every answer is a page.", page.requirement,
      ["type": "object", "required": ["token"], "properties": ["token": linkToken]])
  }

  /// The pages with forms of their own, and where a provider sends the browser, as far as what they call is served.
  static func forms(_ byName: [String: Endpoint]) -> [(path: String, operations: JSON)] {
    var forms: [(path: String, operations: JSON)] = [
      (MailboxPage.path, ["get": mailboxList]), (MailboxPage.mailPath, ["get": mailboxMail]),
    ]
    if RecoveryEndpoints(byName) != nil { forms.append((RecoveryPage.path, ["get": recoveryPage, "post": recoveryForm])) }
    if LinkValidator(byName) != nil, byName[AnswerLoginAlertByLink.spec.name] != nil {
      forms.append((LoginAlertPage.path, ["get": loginAlertPage, "post": loginAlertForm]))
    }
    if byName[CompleteExternalLogin.spec.name] != nil {
      forms.append((ExternalLoginReturn.path, ["post": externalLoginReturn]))
    }
    return forms
  }

  private static let mailboxList = page(
    "mailboxPage", "The mails of a cluster without mail server, for this machine only.", "NOT-6")

  private static let mailboxMail = page(
    "mailboxMailPage", "One of these mails.", "NOT-6",
    parameters: [
      ["name": "name", "in": "path", "required": true, "description": "The name of its file.", "schema": ["type": "string"]]
    ])

  private static let recoveryPage = page(
    "recoverPage", "The page behind a recovery mail's link, or, without a token, the form to ask for one.", "ID-8",
    parameters: [["name": "token", "in": "query", "description": "The mailed link's token.", "schema": linkToken]])

  private static let recoveryForm = form(
    "recoverForm",
    "The same page's forms, as `passwordRecoveries.complete` with a token, as `passwordRecoveries.request` without; every answer is a page.",
    "ID-8",
    [
      "type": "object",
      "properties": [
        "token": linkToken, "password": ["type": "string"], "passwordRepetition": ["type": "string"], "email": ["type": "string"],
      ],
    ])

  private static let loginAlertAnswer: JSON = ["type": "string", "enum": ["confirm", "close"]]

  private static let loginAlertPage = page(
    "loginAlertPage", "The page behind both links of a mail about a login; its buttons call `loginAlerts.answerByLink`.", "ID-7",
    parameters: [
      ["name": "token", "in": "query", "required": true, "description": "The mailed link's token.", "schema": linkToken],
      ["name": "answer", "in": "query", "description": "Which button stands first.", "schema": loginAlertAnswer],
    ])

  private static let loginAlertForm = form(
    "loginAlertForm", "The same page's form, as `loginAlerts.answerByLink`; every answer is a page.", "ID-7",
    ["type": "object", "required": ["token"], "properties": ["token": linkToken, "answer": loginAlertAnswer]])

  /// The browser is sent on; only a refusal is a page.
  private static var externalLoginReturn: JSON {
    var operation = form(
      "externalLoginReturn", "Where a provider sends the browser that answers by a form; it goes on to the client that waits.",
      "ID-10",
      [
        "type": "object", "required": ["state"],
        "properties": [
          "state": linkToken, "code": ["type": "string"], "error": ["type": "string"], "iss": ["type": "string"],
        ],
      ])
    operation["responses"]?["200"] = nil
    operation["responses"]?["303"] = [
      "description": "On to the client, with `state`, `code`, `error` and `iss` in the query.",
      "headers": ["Location": ["description": "Where.", "schema": ["type": "string"]]],
    ]
    return operation
  }

  private static func form(_ name: String, _ summary: String, _ requirement: String, _ schema: JSON) -> JSON {
    var operation = page(name, summary, requirement)
    operation["requestBody"] = ["required": true, "content": ["application/x-www-form-urlencoded": ["schema": schema]]]
    return operation
  }

  private static func page(_ name: String, _ summary: String, _ requirement: String, parameters: JSON? = nil) -> JSON {
    var operation = page(name, summary, "text/html", ["type": "string"], requirement)
    if let parameters { operation["parameters"] = parameters }
    // Whatever the connection refuses is a problem all the same.
    operation["responses"]?["default"] = [
      "description": "The page tells what is wrong.",
      "content": [
        "text/html": ["schema": ["type": "string"]],
        "application/problem+json": ["schema": ["$ref": "#/components/schemas/Problem"]],
      ],
    ]
    return operation
  }

  static let pages: [(Page, JSON)] = [
    (.livez, page("livez", "Whether the gateway runs.", "application/json", ["type": "object"], "OPS-2")),
    (
      .readyz,
      page(
        "readyz",
        "Whether all six services are ready; 503 where one is not. The status is `degraded` where one reads but cannot write.",
        "application/json", ["type": "object"], "OPS-2")
    ),
    (.metrics, page("metrics", "Metrics of all six services as Prometheus text.", "text/plain", ["type": "string"], "OPS-2")),
    (.openAPI, page("openapi", "This document.", "application/json", ["type": "object"], "GW-2")),
    (.docs, page("docs", "This document for people.", "text/html", ["type": "string"], "GW-2")),
  ]

  private static func page(_ name: String, _ summary: String, _ type: String, _ schema: JSON, _ requirement: String) -> JSON {
    var content: JSON = [:]
    content[type] = ["schema": schema]
    return [
      "operationId": .string(name), "tags": ["gateway"], "summary": .string(summary),
      "responses": [
        "200": ["description": .string(summary), "content": content],
        "default": [
          "description": "A problem.",
          "content": ["application/problem+json": ["schema": ["$ref": "#/components/schemas/Problem"]]],
        ],
      ],
      "security": [], "x-requirement": [.string(requirement)],
    ]
  }
}
