import Operations
import ServiceKit
import SocialService

await ServiceProcess.run(.social) { environment in Social.service(environment) }
