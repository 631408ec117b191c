import GatewayContract
import Operations

/// Writes the messages of JSON-RPC 2.0, each on one line, without the line's end.
enum RPCLine {
  private static let null = Array("null".utf8)

  /// - Parameter result: JSON, unread.
  static func response(_ result: [UInt8], id: [UInt8]) -> [UInt8] {
    var line: [UInt8] = []
    line.reserveCapacity(result.count + id.count + 40)
    line += "{\"jsonrpc\":\"2.0\",\"result\":".utf8
    line += JSONLine.of(result)
    line += ",\"id\":".utf8
    line += id
    line.append(UInt8(ascii: "}"))
    return line
  }

  static func error(_ error: RPCError, _ problem: Problem) -> [UInt8] {
    var writer = JSONWriter()
    writer.json("{\"jsonrpc\":\"2.0\",\"error\":{\"code\":\(error.code),\"message\":".utf8)
    writer.string(error.message(problem.title))
    writer.json(",\"data\":".utf8)
    writer.json(problem.json)
    writer.json("},\"id\":".utf8)
    writer.json(error.id ?? null)
    writer.json("}".utf8)
    return writer.bytes
  }

  /// - Parameter params: a JSON object on one line.
  static func notification(_ method: String, _ params: [UInt8]) -> [UInt8] {
    var line = Array("{\"jsonrpc\":\"2.0\",\"method\":\"\(method)\",\"params\":".utf8)
    line += params
    line.append(UInt8(ascii: "}"))
    return line
  }
}
