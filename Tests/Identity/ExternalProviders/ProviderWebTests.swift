import Foundation
import Operations
import Testing

@testable import IdentityService

@Suite("Requests to external providers (ID-10)", .enabled(if: TestProvider.python != nil, "needs Python"))
struct ProviderWebTests {
  @Test("Requests to external providers go only to servers with a valid certificate")
  func certificates() async throws {
    try await EncryptedServer.run { server in
      let url = try #require(ProviderURL("https://localhost:\(server.port)/document"))
      let trusting = ProviderWeb(authoritiesFile: server.certificate)
      #expect(try await String(decoding: trusting.get(url), as: UTF8.self) == "GET /document None")
      // Its certificate is of no authority of the system.
      await #expect(throws: ProviderError.unavailable("unreachable")) { try await ProviderWeb().get(url) }
      // It is of another name.
      let other = try #require(ProviderURL("https://127.0.0.1:\(server.port)/document"))
      await #expect(throws: ProviderError.unavailable("unreachable")) { try await trusting.get(other) }
    }
  }

  @Test("Requests to external providers carry a form and the client's credentials")
  func form() async throws {
    try await EncryptedServer.run { server in
      let url = try #require(ProviderURL("https://localhost:\(server.port)/token"))
      let answer = try await ProviderWeb(authoritiesFile: server.certificate).post(
        url, [("code", "a b&c"), ("grant_type", "x")], authorization: "Basic YTpi")
      #expect(answer.status == 200)
      #expect(
        String(decoding: answer.body, as: UTF8.self)
          == "POST /token Basic YTpi application/x-www-form-urlencoded code=a%20b%26c&grant_type=x")
    }
  }

  @Test("Cancelled requests to external providers end at once, not only at their timeout")
  func cancelled() async throws {
    try await EncryptedServer.run { server in
      let url = try #require(ProviderURL("https://localhost:\(server.port)/silence"))
      let web = ProviderWeb(wholeMilliseconds: 60_000, authoritiesFile: server.certificate)
      let asking = Task { try await web.get(url) }
      await server.asked()
      asking.cancel()
      await #expect(throws: CancellationError.self) { try await asking.value }
    }
  }

  @Test(
    "Unanswered requests to external providers end in time, also while they wait for a thread; surplus ones are refused at once"
  )
  func bounds() async throws {
    try await EncryptedServer.run { server in
      let url = try #require(ProviderURL("https://localhost:\(server.port)/silence"))
      let web = ProviderWeb(wholeMilliseconds: 500, authoritiesFile: server.certificate)
      let codes = await withTaskGroup(of: String?.self) { group in
        for _ in 0..<100 {
          group.addTask {
            do {
              _ = try await web.post(url, [], authorization: nil)
              return nil
            } catch {
              return (error as? ProviderError)?.code
            }
          }
        }
        return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
      }
      // On a busy machine the last of them may come when the first have timed out, and find room.
      let timedOut = codes["timed_out", default: 0]
      #expect((80..<100).contains(timedOut) && codes == ["timed_out": timedOut, "too_many_waiting": 100 - timedOut], "\(codes)")
    }
  }

  @Test("Requests to external providers end if the head of an answer never ends")
  func endlessHead() async throws {
    try await EncryptedServer.run { server in
      let url = try #require(ProviderURL("https://localhost:\(server.port)/heads"))
      let web = ProviderWeb(wholeMilliseconds: 60_000, authoritiesFile: server.certificate)
      await #expect(throws: ProviderError.unavailable("answer_too_large")) { try await web.get(url) }
    }
  }
}

/// A server with a certificate of its own authority for the name `localhost`. It answers with what it was asked.
private struct EncryptedServer: Sendable {
  let port: Int
  let certificate: String
  private let output: FileHandle

  private static let script = """
    import http.server, ssl, subprocess, sys
    certificate, key = sys.argv[1] + "/certificate.pem", sys.argv[1] + "/key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1", "-subj",
        "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate], check=True, stderr=subprocess.DEVNULL)

    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_): pass
        def reply(self):
            words = [self.command, self.path, str(self.headers["Authorization"])]
            if self.command == "POST":
                words += [self.headers["Content-Type"], self.rfile.read(int(self.headers["Content-Length"])).decode()]
            if self.path == "/silence":
                print("asked", flush=True)
                sys.stdin.read()
                return
            if self.path == "/heads":
                while True:
                    self.wfile.write(b"HTTP/1.1 103 Early Hints\\r\\nLink: " + b"x" * 1000 + b"\\r\\n\\r\\n")
            body = " ".join(words).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        do_GET = do_POST = reply

    class Server(http.server.ThreadingHTTPServer):
        request_queue_size = 200
        def handle_error(self, *_): pass

    server = Server(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    print(server.server_address[1], flush=True)
    server.serve_forever()
    """

  struct NotStarted: Error {}

  /// Runs one while the body does.
  static func run(_ body: (EncryptedServer) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("racha-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: folder) } }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: TestProvider.python ?? "python3")
    process.arguments = ["-c", script, folder]
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    defer {
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
    let said = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard let port = Int(said.trimmingCharacters(in: .whitespacesAndNewlines)) else { throw NotStarted() }
    try await body(
      EncryptedServer(port: port, certificate: "\(folder)/certificate.pem", output: output.fileHandleForReading))
    try input.fileHandleForWriting.close()
  }

  /// Waits until it has been asked for something that it does not answer.
  func asked() async {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async { [output] in
        _ = output.availableData
        continuation.resume()
      }
    }
  }
}

#if canImport(Glibc)
  import Glibc
#endif
