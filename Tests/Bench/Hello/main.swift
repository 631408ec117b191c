import Foundation
import Hummingbird

// The yardstick of the bench: the bare server, no middleware, answering a constant. Also a push service (RFC 8030) that takes everything and says
// of each request, on its output, that it came.
let router = Router()
router.get("/") { _, _ in "hello" }
router.post("/push/:device") { _, _ in
  FileHandle.standardOutput.write(Data("pushed\n".utf8))
  return HTTPResponse.Status.created
}
let port = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 8099
try await Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: port))).runService()
