import Foundation
import Testing

@Suite("The compose file")
struct ContainerTests {
  @Test("The compose file hands the gateway certificate, trusted proxies and the token of its metrics, and mounts their folders")
  func gateway() throws {
    let text = try String(contentsOfFile: "\(Launcher.package)/deploy/docker-compose.yml", encoding: .utf8)
    let begin = try #require(text.range(of: "\n  gateway:\n"))
    let end = try #require(text.range(of: "\n  identity:\n"))
    let gateway = text[begin.upperBound..<end.lowerBound]
    for name in [
      "TLS_CERTIFICATE_FILE", "TLS_KEY_FILE", "HTTP_TRUSTED_PROXIES", "HTTP_FORWARDED_HEADER", "TCP_TRUSTED_PROXIES",
      "METRICS_TOKEN", "PUBLIC_URL",
    ] {
      #expect(gateway.contains("\n      RACHA_\(name): ${RACHA_\(name):-"), "\(name)")
    }
    #expect(gateway.contains("\n      - ${RACHA_TLS_FOLDER:-./tls}:/run/tls:ro\n"))
    #expect(FileManager.default.fileExists(atPath: "\(Launcher.package)/deploy/tls"))
  }
}
