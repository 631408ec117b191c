import Glibc
import Messaging
import Operations
import Testing

@Suite struct EndpointsTests {
  private func start(_ directory: String) throws -> ZeroMQBus {
    let bus = ZeroMQBus(.social, endpoints: .local(directory: directory), logger: .quiet)
    bus.serve { .test($0, body: []) }
    try bus.start()
    return bus
  }

  @Test("A directory that others can enter is refused")
  func openDirectory() throws {
    let folder = try TemporaryFolder()
    chmod(folder.path, 0o755)
    #expect { try start(folder.path) } throws: { "\($0)".contains("must belong to this user and have mode 0700") }
  }

  @Test("A socket's path that is too long is reported with its length")
  func longPath() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/\(String(repeating: "x", count: 100))"
    #expect { try start(path) } throws: { "\($0)".contains("107 are possible") }
  }

  @Test("The directory is made private; a second process of one service is refused, and may start once the first has left")
  func oneAtATime() async throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/s"
    let first = try start(path)
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o700)
    #expect { try start(path) } throws: { "\($0)" == "social is already running on this directory" }
    await first.stop(within: .zero)
    let second = try start(path)
    await second.stop(within: .zero)
    for name in ["social.lock", "social.requests", "social.events"] { unlink("\(path)/\(name)") }
    rmdir(path)
  }

  @Test("Socket files of a killed process do not hinder the next one")
  func staleSockets() async throws {
    let folder = try TemporaryFolder()
    for name in ["social.requests", "social.events"] {
      let file = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array("\(folder.path)/\(name)".utf8)) }
      let bound = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(file, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
      }
      #expect(bound == 0)
      close(file)
    }
    let bus = try start(folder.path)
    let client = ZeroMQBus(.gateway, endpoints: .local(directory: folder.path), logger: .quiet)
    try client.start()
    _ = try await client.request(.test(), to: .social)
    await client.stop()
    await bus.stop()
  }

  @Test(
    "Addresses of the network are parsed strictly",
    arguments: [
      ("tcp://identity:7000", NetworkAddress(host: "identity", port: 7000)),
      ("tcp://[::1]:7000", NetworkAddress(host: "[::1]", port: 7000)), ("identity:7000", nil), ("tcp://identity", nil),
      ("tcp://identity:65535", nil), ("tcp://:7000", nil), ("tcp://::1:7000", nil), ("tcp://a/b:7000", nil),
    ])
  func addresses(text: String, address: NetworkAddress?) {
    #expect(NetworkAddress(text) == address)
  }
}
