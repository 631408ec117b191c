import Foundation
import Glibc
import Sandbox

/// Does what it is asked to, as somebody would who has taken a decoder over by the bytes that it was given.
struct Intruder: SandboxedDecoder {
  static let name = "intruder"
  static let bounds = DecoderBounds(
    maxMemoryBytes: 64 << 20, maxProcessorSeconds: 1, maxRequestBytes: 1 << 20, maxReplyBytes: 1 << 16)

  let file: Int32?

  init(file: Int32?) { self.file = file }

  static func prepare() {}

  func reply(to request: [UInt8]) -> [UInt8] { Array(answer(String(decoding: request, as: UTF8.self)).utf8) }

  private func answer(_ request: String) -> String {
    switch request {
    // What fails, and the process goes on.
    case "open a file": failed(open("/etc/passwd", O_RDONLY))
    case "make a file": failed(open("/tmp/racha-intruder", O_WRONLY | O_CREAT, 0o600))
    case "list a folder": opendir("/proc") == nil ? "refused" : "done"
    case "write to its file": failed(write(file ?? -1, "x", 1))
    case "copy a descriptor": failed(dup(3))
    case "raise its limits": failed(raiseLimits())
    // What ends it.
    case "reach the network": failed(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
    case "reach a local socket": failed(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
    case "start a program": start()
    case "end its parent": failed(kill(getppid(), SIGTERM))
    case "map code":
      mmap(nil, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? "refused" : "done"
    case "take all memory": takeMemory()
    case "take all time": spin()
    case "crash": abort()
    case "end": exit(7)
    // What it may.
    case "read its file": read()
    case "environment": "\(ProcessInfo.processInfo.environment.count)"
    case "descriptors": (0..<256).filter { lseek($0, 0, SEEK_CUR) >= 0 || errno != EBADF }.map(String.init).joined(separator: " ")
    case "say too much": String(repeating: "x", count: 1 << 17)
    case "stay silent": silence()
    case "work and stand still": standStill()
    default: request
    }
  }

  private func failed(_ result: Int32) -> String { result < 0 ? "refused" : "done" }
  private func failed(_ result: Int) -> String { result < 0 ? "refused" : "done" }

  private func raiseLimits() -> Int32 {
    var limit = rlimit(rlim_cur: 1 << 40, rlim_max: 1 << 40)
    return setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
  }

  private func start() -> String {
    var none: [UnsafeMutablePointer<CChar>?] = [nil]
    return posix_spawn(nil, "/bin/true", nil, nil, &none, &none) == 0 ? "done" : "refused"
  }

  private func takeMemory() -> String {
    // Four times as much as it may, so that without the bound it ends by no other.
    var all: [[UInt8]] = []
    while all.count < 256 { all.append([UInt8](repeating: 1, count: 1 << 20)) }
    return "took \(all.count) MiB"
  }

  private func spin() -> String {
    // Four times as long as it may.
    while clock() < 4_000_000 {}
    return "took 4 s"
  }

  /// Waits for what never comes.
  private func silence() -> String {
    var byte: UInt8 = 0
    return failed(Glibc.read(3, &byte, 1))
  }

  /// Shows by the processor's time that it takes, a fifth of a second, that it was asked; then waits for what never comes, whoever ends.
  private func standStill() -> String {
    while clock() < 200_000 {}
    DispatchSemaphore(value: 0).wait()
    return "done"
  }

  private func read() -> String {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = pread(file ?? -1, &bytes, bytes.count, 0)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}

/// Dies of whatever it is given, instead of a decoder of files.
struct Fragile: SandboxedDecoder {
  static let name = "imports"
  static let bounds = Intruder.bounds

  init(file: Int32?) {}

  static func prepare() {}

  func reply(to request: [UInt8]) -> [UInt8] { abort() }
}

DecoderProgram.runIfAsked([Intruder.self, Fragile.self])
// Asked for nothing: starts a decoder, says which, and stays until it is ended.
let decoder = try DecoderProcess(Intruder.self)
print(decoder.processID ?? 0)
fflush(nil)
_ = try? decoder.request(Array("work and stand still".utf8), within: .seconds(3600))
while true { pause() }
