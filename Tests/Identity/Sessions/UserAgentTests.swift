import Operations
import Testing

@testable import IdentityService

@Suite("Clients by their user agent (ID-6)")
struct UserAgentTests {
  private static let chrome = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0"
  private static let mobile = "AppleWebKit/605.1.15 (KHTML, like Gecko)"

  @Test(
    "A client is named by the most specific part of its user agent",
    arguments: [
      ("Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0", "Firefox", "Linux"),
      ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) \(chrome) Safari/537.36", "Chrome", "Windows"),
      ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) \(chrome) Safari/537.36 Edg/131.0.0.0", "Edge", "Windows"),
      ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) \(chrome) Safari/537.36 OPR/115.0.0.0", "Opera", "Windows"),
      ("Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) \(chrome) Safari/537.36", "Chrome", "ChromeOS"),
      ("Mozilla/5.0 (Linux; Android 14; SM-S921B) \(chrome) Mobile Safari/537.36", "Chrome", "Android"),
      ("Mozilla/5.0 (Linux; Android 14) SamsungBrowser/26.0 \(chrome) Safari/537.36", "Samsung Internet", "Android"),
      ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) \(mobile) Version/17.6 Safari/605.1.15", "Safari", "macOS"),
      ("Mozilla/5.0 (iPhone; CPU iPhone OS 17_6 like Mac OS X) \(mobile) Version/17.6 Safari/604.1", "Safari", "iPhone"),
      ("Mozilla/5.0 (iPad; CPU OS 17_6 like Mac OS X) \(mobile) CriOS/131.0 Mobile Safari/604.1", "Chrome", "iPad"),
      ("Mozilla/5.0 (iPhone; CPU iPhone OS 17_6 like Mac OS X) \(mobile) FxiOS/133.0 Safari/605.1.15", "Firefox", "iPhone"),
      ("Mozilla/5.0 (compatible)", nil, nil),
      ("Mozilla/5.0 (X11; FreeBSD amd64)", nil, "FreeBSD"),
      ("Racha/1.2 (Android 14)", "Racha", "Android"),
      ("curl/8.5.0", "curl", nil),
      ("python-requests/2.32", "python-requests", nil),
      ("<script>alert(1)</script>", nil, nil),
      ("\u{202E}txt.exe/1", nil, nil),
      (String(repeating: "a", count: 41), nil, nil),
      ("", nil, nil),
      (nil, nil, nil),
    ] as [(String?, String?, String?)])
  func table(text: String?, program: String?, system: String?) {
    let agent = UserAgent(text)
    #expect(agent.program == program)
    #expect(agent.system == system)
  }

  @Test("A client is named in the reader's language, or not at all")
  func words() {
    let firefox = UserAgent("Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0")
    #expect(SessionWords.program(firefox, .english) == "Firefox on Linux")
    #expect(SessionWords.program(firefox, .spanish) == "Firefox en Linux")
    #expect(SessionWords.program(UserAgent("curl/8.5.0"), .spanish) == "curl")
    #expect(SessionWords.program(UserAgent("Mozilla/5.0 (X11; FreeBSD amd64)"), .english) == "FreeBSD")
    #expect(SessionWords.program(UserAgent(nil), .english) == nil)
    #expect(SessionWords.unknownDevice(.spanish) == "Dispositivo desconocido")
  }
}
