//! Folders of fixtures. The generator's tests include this file as a module.
#![allow(unreachable_pub, reason = "a module of a test has no public")]

use std::fs;
use std::path::Path;

/// Copies a folder recursively. The copies are writable even if the originals are not.
pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("the folder can be made");
    for entry in fs::read_dir(from).expect("the folder can be read") {
        let path = entry.expect("the folder can be read").path();
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::write(target, fs::read(&path).expect("the file can be read")).expect("the file can be written");
        }
    }
}
