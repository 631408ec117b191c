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
    "description": "Entity tags of the files that the client already has (RFC 9110, section 13.1.2).",
    "schema": ["type": "string"],
  ]

  static let headers: JSON = [
    "ETag": ["description": "Identifies exactly these bytes.", "schema": ["type": "string"]],
    "X-Request-ID": ["description": "Id of the request, also in logs.", "schema": ["type": "string"]],
    "RateLimit": [
      "description": """
      The calls left in the budget (`r`), and the seconds until it is full again or, for a refused call, until the next one is \
      accepted (`t`).
      """,
      "schema": ["type": "string"],
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
      "operationId": "live", "tags": ["gateway"], "summary": "Streams the caller's notifications live, as server-sent events.",
      "description": .string(
        """
        Begins with the event `ready`, `{"number"}`, whose id is the number after which the stream continues; then one event \
        `notification` for each, its number as id and the notification as data; one event for each live change, such as `messages.edited`, \
        without id and with the change as data, so a client that reconnects reloads what it shows; a comment every 15 s; at the \
        end the event `end` with the reason. \
        To resume without gaps or repetitions, reconnect with the last id. An id beyond the newest, as from a store that was \
        replaced by its backup, is not accepted: `ready` then has the newest number and `"reset": true`, and notifications seen \
        before are to be listed again. Over JSON-RPC the id is the member `lastEventID`, as a number or as text.
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

  /// A page's answers to one method.
  static func page(_ route: PageRoute) -> JSON {
    var operation = operation(route.name, route.summary, "text/html", ["type": "string"], route.requirement)
    if let parameters = route.parameters { operation["parameters"] = parameters }
    // Whatever the connection refuses is a problem all the same.
    operation["responses"]?["default"] = [
      "description": "The page says what is wrong.",
      "content": [
        "text/html": ["schema": ["type": "string"]],
        "application/problem+json": ["schema": ["$ref": "#/components/schemas/Problem"]],
      ],
    ]
    if let form = route.form {
      var content: JSON = [:]
      content[route.hasFile ? "multipart/form-data" : "application/x-www-form-urlencoded"] = ["schema": form]
      operation["requestBody"] = ["required": true, "content": content]
    }
    if let redirect = route.redirect {
      operation["responses"]?["200"] = nil
      operation["responses"]?["303"] = [
        "description": .string(redirect),
        "headers": ["Location": ["description": "Address to go on to.", "schema": ["type": "string"]]],
      ]
    }
    return operation
  }

  /// A download's answers.
  static func download(_ route: DownloadRoute) -> JSON {
    var operation = operation(
      route.name, route.summary, route.mediaType, ["type": "string", "format": "binary"], route.requirement)
    operation["parameters"] = route.parameters
    operation["security"] = [["bearer": []]]
    return operation
  }

  static let system: [(SystemEndpoint, JSON)] = [
    (.livez, operation("livez", "Returns whether the gateway runs.", "application/json", ["type": "object"], "OPS-2")),
    (
      .readyz,
      operation(
        "readyz",
        "Returns whether all six services are ready; 503 if one is not. The status is `degraded` if one can read but not write.",
        "application/json", ["type": "object"], "OPS-2")
    ),
    (
      .metrics,
      operation(
        "metrics", "Returns the metrics of all six services as Prometheus text.", "text/plain", ["type": "string"], "OPS-2")
    ),
    (.openAPI, operation("openapi", "Returns this document.", "application/json", ["type": "object"], "GW-2")),
    (.docs, operation("docs", "Returns this document as a page for people.", "text/html", ["type": "string"], "GW-2")),
  ]

  private static func operation(_ name: String, _ summary: String, _ type: String, _ schema: JSON, _ requirement: String) -> JSON
  {
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
