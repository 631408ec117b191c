import GatewayContract
import IdentityContract
import Operations

/// The OpenAPI 3.1 document, made from the same declarations that the services serve.
struct OpenAPI {
  private let problems: ProblemWriter
  private var schemas = Schemas()

  /// - Parameter catalog: what clients may ask for.
  static func document(_ catalog: Catalog, problems: ProblemWriter, version: String) -> JSON {
    var builder = OpenAPI(problems: problems)
    return builder.build(catalog, version: version)
  }

  private init(problems: ProblemWriter) { self.problems = problems }

  private mutating func build(_ catalog: Catalog, version: String) -> JSON {
    var paths: JSON = [:]
    for endpoint in catalog.endpoints {
      guard let route = endpoint.spec.route else { continue }
      var item = paths[route.template] ?? [:]
      item[route.method.rawValue.lowercased()] = operation(endpoint, route)
      paths[route.template] = item
    }
    paths[EventStream.path] = ["get": live]
    for route in catalog.downloads.map(\.route) { paths[route.path] = ["get": OpenAPI.download(route)] }
    for route in catalog.pages.flatMap(\.routes) {
      var item = paths[route.path] ?? [:]
      item[route.method.rawValue.lowercased()] = OpenAPI.page(route)
      paths[route.path] = item
    }
    for (endpoint, operation) in OpenAPI.system { paths[endpoint.path] = ["get": operation] }
    _ = schemas.reference(to: Problem.self)
    var components: JSON = [:]
    components["schemas"] = reachable(from: paths)
    components["parameters"] = ["IdempotencyKey": OpenAPI.idempotencyKey, "IfNoneMatch": OpenAPI.ifNoneMatch]
    components["headers"] = OpenAPI.headers
    components["securitySchemes"] = [
      "bearer": [
        "type": "http", "scheme": "bearer", "bearerFormat": "JWT", "description": .string(OpenAPI.bearer),
      ]
    ]
    return [
      "openapi": "3.1.0",
      "info": [
        "title": "Racha", "version": .string(version), "license": ["name": "Apache-2.0", "identifier": "Apache-2.0"],
        "description": .string(OpenAPI.introduction),
      ],
      "servers": [["url": "/"]], "tags": tags(catalog.endpoints), "paths": paths, "components": components,
    ]
  }

  private static let bearer = """
    An access token from `sessions.create`, or a personal access token from `personalAccessTokens.create`, which reaches as far as \
    its scopes: `x-scope` of an operation. Operations without one are available to sessions only.
    """

  /// Everything that the gateway serves is in the document: operations, pages of mailed links, and what people open in a browser.
  private static let introduction = """
    Every operation is available twice: over HTTP as described here, and over JSON-RPC 2.0 (one message a line on plain TCP) \
    as the method that `operationId` names, with the fields of path, query and body together as `params`. Refusals are RFC 9457 problem \
    documents with a stable `code`, in JSON-RPC as the error's `data`. Instants are RFC 3339 in UTC, ids are UUIDs. Characters are counted \
    as people do; a text that people write has also at most 16 bytes of UTF-8 for each character that it may have. Lists are pages: \
    give `nextCursor` back as `cursor`. A JSON-RPC connection is signed in by the method `session.authenticate` with \
    `{"accessToken", "lastEventID"?, "live"?}`, on a line of its own; live messages then come as notifications `live.ready`, \
    `live.notification`, `live.<event>` (such as `live.messages.edited`) and `live.end`, with the same data as the events of `/v1/live`.
    """

  // MARK: - Operations

  private mutating func operation(_ endpoint: Endpoint, _ route: Route) -> JSON {
    let spec = endpoint.spec
    let (input, output) = documents(endpoint.operation)
    let properties = members(input["properties"])
    let required = names(input["required"])
    let inQuery = !spec.takesBody
    var parameters: [JSON] = properties.compactMap { name, schema in
      let isPath = route.parameters.contains(name)
      guard isPath || inQuery else { return nil }
      return OpenAPI.parameter(name, schema, in: isPath ? "path" : "query", isRequired: isPath || required.contains(name))
    }
    if spec.takesIdempotencyKey { parameters.append(["$ref": "#/components/parameters/IdempotencyKey"]) }
    var result: JSON = [
      "operationId": .string(spec.name), "tags": [.string(OpenAPI.tag(spec))], "summary": .string(spec.summary),
    ]
    let bodyNames = inQuery ? [] : properties.map(\.name).filter { !route.parameters.contains($0) }
    if !bodyNames.isEmpty { result["requestBody"] = body(endpoint.operation, input, bodyNames, route) }
    var responses: JSON = [:]
    responses[spec.effect == .create ? "201" : "200"] = [
      "description": "The operation succeeded.", "headers": OpenAPI.answerHeaders,
      "content": OpenAPI.content(spec.raw, output),
    ]
    if case .answer = spec.raw {
      parameters.append(["$ref": "#/components/parameters/IfNoneMatch"])
      responses["200"]?["headers"]?["ETag"] = ["$ref": "#/components/headers/ETag"]
      responses["304"] = ["description": "The client already has this file.", "headers": OpenAPI.answerHeaders]
      result["x-json-rpc-result"] = output
    }
    if !parameters.isEmpty { result["parameters"] = .array(parameters) }
    for (status, description) in refusals(endpoint) { responses[status] = description }
    result["responses"] = responses
    result["security"] = endpoint.needsAccount ? [["bearer": []]] : []
    result["x-requirement"] = .array(spec.requirements.map { .string($0) })
    result["x-rate-class"] = .string(spec.rate.rawValue)
    if endpoint.needsAccount, case .needs(let scope) = endpoint.scope { result["x-scope"] = .string(scope.rawValue) }
    result["x-caller"] = .string(OpenAPI.caller(spec.caller))
    return result
  }

  /// What an answer holds: JSON, or a file of one of the declared types.
  private static func content(_ raw: RawBytes?, _ output: JSON) -> JSON {
    guard case .answer(let mediaTypes) = raw else { return ["application/json": ["schema": output]] }
    var content: JSON = [:]
    for mediaType in mediaTypes { content[mediaType] = [:] }
    return content
  }

  private static func parameter(_ name: String, _ schema: JSON, in location: String, isRequired: Bool) -> JSON {
    var schema = schema
    var result: JSON = ["name": .string(name), "in": .string(location)]
    if isRequired { result["required"] = true }
    if let description = schema["description"] {
      result["description"] = description
      schema["description"] = nil
    }
    if schema["type"] == "array" {
      result["style"] = "form"
      result["explode"] = false
    }
    result["schema"] = schema
    return result
  }

  private mutating func body(_ operation: any Operation.Type, _ input: JSON, _ names: [String], _ route: Route) -> JSON {
    let required = self.names(input["required"]).filter { names.contains($0) }
    let schema: JSON
    if route.parameters.isEmpty {
      schema = inputReference(operation)
    } else {
      // Fields in the path are not in the body.
      var properties: JSON = [:]
      for name in names { properties[name] = input["properties"]?[name] }
      var object: JSON = ["type": "object", "properties": properties]
      if !required.isEmpty { object["required"] = .array(required.map { .string($0) }) }
      object["additionalProperties"] = false
      schema = object
    }
    var content: JSON = ["application/json": ["schema": schema]]
    if case .body(_, let mediaType) = operation.spec.raw { content[mediaType] = [:] }
    return ["required": .bool(!required.isEmpty), "content": content]
  }

  /// The input's schema itself and the reference to the output's.
  private mutating func documents(_ operation: any Operation.Type) -> (input: JSON, output: JSON) {
    func references<O: Operation>(_ operation: O.Type, _ schemas: inout Schemas) -> (JSON, JSON) {
      (schemas.reference(to: O.Input.self), schemas.reference(to: O.Output.self))
    }
    let (input, output) = references(operation, &schemas)
    return (resolve(input), output)
  }

  private mutating func inputReference(_ operation: any Operation.Type) -> JSON {
    func reference<O: Operation>(_ operation: O.Type, _ schemas: inout Schemas) -> JSON { schemas.reference(to: O.Input.self) }
    return reference(operation, &schemas)
  }

  private func resolve(_ reference: JSON) -> JSON {
    guard case .string(let text) = reference["$ref"], let name = text.split(separator: "/").last else { return reference }
    return schemas.components.first { $0.name == name }?.schema ?? reference
  }

  // MARK: - Refusals

  private func refusals(_ endpoint: Endpoint) -> [(status: String, response: JSON)] {
    let spec = endpoint.spec
    var kinds = spec.failures
    // A body is read also where it can only be empty: one that has fields, or is none, is refused by name.
    for failure in spec.commonFailures(hasBody: spec.takesBody) where !kinds.contains(failure.kind) {
      kinds.append(failure.kind)
    }
    if spec.takesBody { kinds.append(GatewayFailure.unsupportedContentCoding.kind) }
    let byStatus = Dictionary(grouping: kinds, by: \.status)
    return byStatus.sorted { $0.key < $1.key }.map { status, kinds in
      let codes = kinds.map { "- `\($0.code)`: \(problems.explanation($0.code, of: spec.name, .english))" }.joined(
        separator: "\n")
      var response: JSON = [
        "description": .string(codes),
        "content": ["application/problem+json": ["schema": ["$ref": "#/components/schemas/Problem"]]],
        "x-codes": .array(kinds.map { .string($0.code) }),
      ]
      if status == 429 || status == 503 { response["headers"] = ["Retry-After": ["$ref": "#/components/headers/Retry-After"]] }
      return (String(status), response)
    }
  }

  // MARK: - Components

  private static func caller(_ rule: CallerRule) -> String {
    switch rule {
    case .anyone: "anyone"
    case .account: "account"
    case .verifiedAccount: "verifiedAccount"
    case .administrator: "administrator"
    case .partnerOwner: "partnerOwner"
    case .partnerClerk: "partnerClerk"
    case .services: "services"
    }
  }

  private static func tag(_ spec: OperationSpec) -> String { String(spec.name.prefix { $0 != "." }) }

  private func tags(_ endpoints: [Endpoint]) -> JSON {
    var seen: [String: ServiceName] = [:]
    var tags: [JSON] = []
    for spec in endpoints.map(\.spec) where seen.updateValue(spec.service, forKey: OpenAPI.tag(spec)) == nil {
      tags.append(["name": .string(OpenAPI.tag(spec)), "description": .string("Served by \(spec.service.rawValue).")])
    }
    return .array(tags + [["name": "gateway", "description": "Served by the gateway itself."]])
  }

  /// Only the schemas that something refers to: inputs whose fields all stand in path and query are left out.
  private func reachable(from root: JSON) -> JSON {
    var wanted: [String] = ["Problem"]
    var found: Set<String> = []
    collect(root, &wanted)
    while let name = wanted.popLast() {
      guard found.insert(name).inserted, let schema = schemas.components.first(where: { $0.name == name })?.schema else {
        continue
      }
      collect(schema, &wanted)
    }
    var result: JSON = [:]
    for component in schemas.components where found.contains(component.name) { result[component.name] = component.schema }
    return result
  }

  private func collect(_ json: JSON, _ names: inout [String]) {
    switch json {
    case .array(let elements): for element in elements { collect(element, &names) }
    case .object(let members):
      for member in members {
        if member.name == "$ref", case .string(let text) = member.value, text.hasPrefix("#/components/schemas/") {
          names.append(String(text.dropFirst("#/components/schemas/".count)))
        } else {
          collect(member.value, &names)
        }
      }
    default: break
    }
  }

  private func members(_ json: JSON?) -> [(name: String, schema: JSON)] {
    guard case .object(let members) = json else { return [] }
    return members.map { ($0.name, $0.value) }
  }

  private func names(_ json: JSON?) -> [String] {
    guard case .array(let elements) = json else { return [] }
    return elements.compactMap { if case .string(let text) = $0 { text } else { nil } }
  }
}
