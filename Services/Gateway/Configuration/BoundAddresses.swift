/// Waits until both listeners are bound.
actor BoundAddresses {
  private var http: Int?
  private var tcp: Int?
  private var waiting: [CheckedContinuation<Addresses, Never>] = []

  var all: Addresses {
    get async {
      if let http, let tcp { return Addresses(httpPort: http, tcpPort: tcp) }
      return await withCheckedContinuation { waiting.append($0) }
    }
  }

  func set(http port: Int) {
    http = port
    publish()
  }

  func set(tcp port: Int) {
    tcp = port
    publish()
  }

  private func publish() {
    guard let http, let tcp else { return }
    for continuation in waiting { continuation.resume(returning: Addresses(httpPort: http, tcpPort: tcp)) }
    waiting = []
  }
}
