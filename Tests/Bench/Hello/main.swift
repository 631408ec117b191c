import Hummingbird

// The yardstick of the bench: the bare server, no middleware, answering a constant.
let router = Router()
router.get("/") { _, _ in "hello" }
let port = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 8099
try await Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: port))).runService()
