//! Where tensors live. A cargo feature picks a GPU; nothing else depends on it.

use burn::tensor::Device;

/// The device of this build.
pub fn device() -> Device {
    #[cfg(feature = "cuda")]
    return Device::cuda(0usize);
    #[cfg(all(any(feature = "wgpu", feature = "metal"), not(feature = "cuda")))]
    return Device::wgpu(burn::tensor::DeviceKind::DefaultDevice);
    #[cfg(not(any(feature = "cuda", feature = "wgpu", feature = "metal")))]
    Device::flex()
}

pub fn device_name() -> &'static str {
    match (cfg!(feature = "cuda"), cfg!(any(feature = "wgpu", feature = "metal"))) {
        (true, _) => "CUDA",
        (_, true) => "wgpu",
        _ => "CPU",
    }
}
